// Rows as int8 shows them, for the layers that quantize their input as it comes.
#include "wgsl/linear/fake_quantize.h"

#include <limits>

#include "ops/fold/row_steps.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// Rows of whole quads.
class FakeQuantize final : public Op {
 public:
  explicit FakeQuantize(Args& a)
      : x_(a.tensor("x")),
        y_(a.out()),
        lanes_(a.traits().lanes),
        lowest_(narrow_to_float(a.number_or("lowest", -128))),
        highest_(narrow_to_float(a.number_or("highest", 127))),
        eps_(narrow_to_float(a.number_or("eps", std::numeric_limits<float>::min()))),
        steps_(a, {.bindings = {y_, x_}, .share_from = 0, .lanes = lanes_},
               walk(a.bound(x_).back() / 4)) {
    a.require(a.bound(x_).back() % 4 == 0, "rows of ", a.bound(x_), " are not whole quads");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    if (x.back() % 4 != 0) return fail("rows of ", x, " are not whole quads");
    plan.resize(y_, x);
    const int64_t rows = x.rows(), row_quads = x.back() / 4;
    steps_.plan(walk(row_quads), rows,
                {.rows = u32(rows),
                 .row_quads = u32(row_quads),
                 .lowest = lowest_,
                 .highest = highest_,
                 .eps = eps_},
                plan);
    return {};
  }

 private:
  // Twice along the row: for its range, and to write.
  Walk walk(int64_t row_quads) const {
    return {.elements = row_quads,
            .alone = 2 * ceil_div<int64_t>(row_quads, lanes_),
            .shared = 2 * ceil_div<int64_t>(row_quads, Grid::kWorkgroupSize)};
  }

  Tensor x_;
  Tensor y_;
  uint32_t lanes_;
  float lowest_, highest_, eps_;
  RowSteps<wgsl::linear::fake_quantize> steps_;
};

HIGHWATER_OP(
    FakeQuantize,
    "hw.fake_quantize(FloatTensor x, Scalar? lowest, Scalar? highest, float? eps) -> Tensor");

}  // namespace
}  // namespace highwater
