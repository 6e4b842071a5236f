#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// [..., C * r * r, H, W] as [..., C, r, r, H, W], put in the order [..., C, H, r, W, r].
class PixelShuffle final : public Op {
 public:
  explicit PixelShuffle(Args& a)
      : x_(a.tensor("self")),
        factor_(a.integer("upscale_factor")),
        y_(a.out()),
        copy_(a, y_, x_, "pixel_shuffle") {
    a.require(a.bound(x_).rank() >= 3, "an input of dims ", a.bound(x_));
    a.require(factor_ > 0 && factor_ < kMostFactor, "an upscale factor of ", factor_);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const size_t rank = x.rank();
    const int64_t r = factor_, height = x[rank - 2], width = x[rank - 1], area = height * width;
    const int64_t channels = x[rank - 3] / (r * r);
    if (channels * r * r != x[rank - 3]) {
      return fail(x[rank - 3], " channels in ", x, " for squares of ", r, " by ", r);
    }
    StridedLoop loop;
    loop.add_dim(x.product(0, rank - 3), {x[rank - 3] * area});
    loop.add_dim(channels, {r * r * area});
    loop.add_dim(height, {width});
    loop.add_dim(r, {r * area});
    loop.add_dim(width, {1});
    loop.add_dim(r, {area});
    Dims y = x;
    y[rank - 3] = channels;
    y[rank - 2] = saturating_mul(height, r);
    y[rank - 1] = saturating_mul(width, r);
    return copy_.plan(s, y, loop, 0, plan);
  }

 private:
  // Its square fits.
  static constexpr int64_t kMostFactor = int64_t{1} << 31;

  Tensor x_;
  int64_t factor_;
  Tensor y_;
  StridedCopy copy_;
};

HIGHWATER_OP(PixelShuffle, "aten.pixel_shuffle.default(Tensor self, int upscale_factor) -> Tensor");

}  // namespace
}  // namespace highwater
