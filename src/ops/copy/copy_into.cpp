#include <optional>

#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// y is src, stretched to the dims of the tensor that it replaces.
class CopyInto final : public Op {
 public:
  explicit CopyInto(Args& a) : old_(a.tensor("self")), x_(a.tensor("src")), y_(a.out()) {
    const bool same = a.dtype(x_) == a.dtype(y_) && a.bound(x_) == a.bound(y_);
    if (!(same && a.alias(y_, x_))) copy_ = StridedCopy(a, y_, x_, "copy");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[x_], &y = s[old_];
    HW_TRY(const Dims spread, s.broadcast({x_, old_}));
    if (spread != y) return fail("dims ", x, " do not fit into ", y);
    if (!copy_) {
      if (x != y) return fail("dims ", x, " in place of ", y);
      plan.resize(y_, y);
      return {};
    }
    Dims strides = y;
    for (size_t i = 0; i < y.rank(); ++i) strides[i] = broadcast_stride(x, y, i);
    return copy_->plan(s, y, strides, 0, plan);
  }

 private:
  Tensor old_;
  Tensor x_;
  Tensor y_;
  std::optional<StridedCopy> copy_;
};

HIGHWATER_OP(CopyInto,
             "aten.copy.default(Tensor self, Tensor src, bool non_blocking=False) -> Tensor");

}  // namespace
}  // namespace highwater
