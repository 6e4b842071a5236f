#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// Whole copies of x side by side.
class Repeat final : public Op {
 public:
  explicit Repeat(Args& a)
      : x_(a.tensor("self")),
        times_(a.live_integers("repeats")),
        y_(a.out()),
        copy_(a, y_, x_, "repeat") {
    a.require(times_.size() >= a.bound(x_).rank() && times_.size() <= Dims::kMaxRank,
              "repeating rank ", a.bound(x_).rank(), " along ", times_.size(), " dims");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Dims x_strides = x.strides();
    const size_t lead = times_.size() - x.rank();
    Dims y;
    StridedLoop loop;
    for (size_t i = 0; i < times_.size(); ++i) {
      const int64_t times = s[times_[i]];
      const int64_t have = i < lead ? 1 : x[i - lead];
      const auto repeated = checked_mul(times, have);
      if (times < 0 || !repeated) return fail("repeating dim ", i, " of ", x, " ", times, " times");
      y.push_back(*repeated);
      loop.add_dim(times, {0});
      loop.add_dim(have, {i < lead ? 0 : x_strides[i - lead]});
    }
    return copy_.plan(s, y, loop, 0, plan);
  }

 private:
  Tensor x_;
  LiveInts times_;
  Tensor y_;
  StridedCopy copy_;
};

HIGHWATER_OP(Repeat, "aten.repeat.default(Tensor self, SymInt[] repeats) -> Tensor");

}  // namespace
}  // namespace highwater
