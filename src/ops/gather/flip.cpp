#include <array>

#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// Each of the dims runs backwards.
class Flip final : public Op {
 public:
  explicit Flip(Args& a) : x_(a.tensor("self")), y_(a.out()), copy_(a, y_, x_, "flip") {
    for (int64_t dim : a.integers("dims")) {
      const auto at = wrap_dim(dim, a.bound(x_).rank());
      a.require(at.ok(), "dim ", dim, " of ", a.bound(x_));
      if (at) flips_[*at] = true;
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    Dims strides = x.strides();
    int64_t offset = 0;
    for (size_t i = 0; i < x.rank(); ++i) {
      if (!flips_[i] || x[i] == 0) continue;
      offset += (x[i] - 1) * strides[i];
      strides[i] = -strides[i];
    }
    return copy_.plan(s, x, strides, offset, plan);
  }

 private:
  Tensor x_;
  Tensor y_;
  std::array<bool, Dims::kMaxRank> flips_{};
  StridedCopy copy_;
};

HIGHWATER_OP(Flip, "aten.flip.default(Tensor self, int[] dims) -> Tensor");

}  // namespace
}  // namespace highwater
