#include <optional>

#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// A size of -1 keeps a dim.
class Expand final : public Op {
 public:
  explicit Expand(Args& a) : x_(a.tensor("self")), size_(a.live_integers("size")), y_(a.out()) {
    a.require(size_.size() >= a.bound(x_).rank() && size_.size() <= Dims::kMaxRank,
              "expanding rank ", a.bound(x_).rank(), " to rank ", size_.size());
    // Where even the largest output is no larger than the input, nothing repeats.
    const bool repeats = a.bound(y_).numel() != a.bound(x_).numel();
    if (repeats || !a.alias(y_, x_)) copy_ = StridedCopy(a, y_, x_, "expand");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const size_t lead = size_.size() - x.rank();
    Dims y, strides;
    const Dims x_strides = x.strides();
    for (size_t i = 0; i < size_.size(); ++i) {
      const int64_t wanted = s[size_[i]];
      const int64_t have = i < lead ? 1 : x[i - lead];
      const int64_t d = wanted == -1 && i >= lead ? have : wanted;
      const bool stretches = i < lead || s.bound(x_)[i - lead] == 1;
      if (d < 0 || (have != d && !(stretches && have == 1))) {
        return fail("dim ", i, " of ", x, " cannot expand to ", wanted);
      }
      y.push_back(d);
      strides.push_back(have == 1 && d != 1 ? 0 : (i < lead ? 0 : x_strides[i - lead]));
    }
    if (copy_) return copy_->plan(s, y, strides, 0, plan);
    if (y.numel() != x.numel()) return fail("dims ", x, " cannot expand to ", y);
    plan.resize(y_, y);
    return {};
  }

 private:
  Tensor x_;
  LiveInts size_;
  Tensor y_;
  std::optional<StridedCopy> copy_;
};

HIGHWATER_OP(Expand,
             "aten.expand_copy.default(Tensor self, SymInt[] size, *, bool implicit=False) -> "
             "Tensor");

}  // namespace
}  // namespace highwater
