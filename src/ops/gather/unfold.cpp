#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// Pieces of `size` along a dim, each `step` after the one before. What is in a piece becomes the
// last dim.
class Unfold final : public Op {
 public:
  explicit Unfold(Args& a)
      : x_(a.tensor("self")),
        dim_(a.integer("dimension")),
        size_(a.integer("size")),
        step_(a.integer("step")),
        y_(a.out()),
        copy_(a, y_, x_, "unfold") {
    const Dims& bound = a.bound(x_);
    a.require(wrap_dim(dim_, bound.rank()).ok() && bound.rank() < Dims::kMaxRank, "dim ", dim_,
              " of ", bound);
    a.require(size_ >= 0 && step_ > 0, "pieces of ", size_, " in steps of ", step_);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims y = s[x_], strides = y.strides();
    // A single element is a dim of one.
    const bool is_single = y.empty();
    if (is_single) y = strides = {1};
    HW_TRY(const size_t dim, wrap_dim(dim_, y.rank()));
    if (size_ > y[dim]) return fail("pieces of ", size_, " in dim ", dim, " of ", s[x_]);
    y[dim] = (y[dim] - size_) / step_ + 1;
    y.push_back(size_);
    strides.push_back(strides[dim]);
    strides[dim] = saturating_mul(strides[dim], step_);
    if (is_single) {
      y.erase(0);
      strides.erase(0);
    }
    return copy_.plan(s, y, strides, 0, plan);
  }

 private:
  Tensor x_;
  int64_t dim_;
  int64_t size_;
  int64_t step_;
  Tensor y_;
  StridedCopy copy_;
};

HIGHWATER_OP(Unfold,
             "aten.unfold_copy.default(Tensor self, int dimension, int size, int step) -> Tensor");

}  // namespace
}  // namespace highwater
