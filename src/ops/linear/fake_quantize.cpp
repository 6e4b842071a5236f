// Rows as int8 shows them, for the layers that quantize their input as it comes.
#include <limits>

#include "graph/op.h"
#include "ops/long_walks.h"
#include "wgsl/fake_quantize_groups.h"
#include "wgsl/fake_quantize_lanes.h"
#include "wgsl/fake_quantize_range.h"

namespace highwater {
namespace {

// (x, lowest, highest, eps, y); rows of whole quads.
class FakeQuantize final : public Op {
 public:
  explicit FakeQuantize(Args& a)
      : x_(a.tensor(0)),
        y_(a.out(4)),
        walk_limit_(a),
        by_lanes_(a.traits().software),
        lanes_(a.traits().lanes),
        lowest_(static_cast<float>(a.number_or(1, -128))),
        highest_(static_cast<float>(a.number_or(2, 127))),
        eps_(static_cast<float>(a.number_or(3, std::numeric_limits<float>::epsilon()))) {
    a.require(a.bound(x_).back() % 4 == 0, "rows of ", a.bound(x_), " are not whole quads");
    const Substitution range{"RANGE", std::string(wgsl::fake_quantize_range::kSource.text)};
    if (by_lanes_) {
      lanes_step_ = a.step<wgsl::fake_quantize_lanes>(
          {y_, x_}, {range,
                     {"LANES", std::to_string(lanes_)},
                     {"FROM_LANE", lanes_ == 1 ? "mine" : "subgroupBroadcast(mine, ${l}u)"}});
    } else {
      groups_step_ = a.step<wgsl::fake_quantize_groups>({y_, x_}, {range});
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    if (x.back() % 4 != 0) return fail("rows of ", x, " are not whole quads");
    plan.resize(y_, x);
    const auto rows = static_cast<uint32_t>(x.rows());
    const auto row_quads = static_cast<uint32_t>(x.back() / 4);
    if (by_lanes_) {
      HW_CHECK(walk_limit_.check(2 * ceil_div<int64_t>(row_quads, lanes_)));
      plan.run(lanes_step_, {rows, row_quads, lowest_, highest_, eps_}, Grid::lanes(rows, lanes_));
    } else {
      plan.run(groups_step_, {rows, row_quads, lowest_, highest_, eps_}, Grid::groups(rows));
    }
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  WalkLimit walk_limit_;
  bool by_lanes_;
  uint32_t lanes_;
  float lowest_, highest_, eps_;
  Step<wgsl::fake_quantize_lanes> lanes_step_;
  Step<wgsl::fake_quantize_groups> groups_step_;
};

HIGHWATER_OP(FakeQuantize, "hw.fake_quantize");

}  // namespace
}  // namespace highwater
