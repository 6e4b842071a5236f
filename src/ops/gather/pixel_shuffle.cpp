#include "ops/gather/shuffled_pixels.h"
#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

class PixelShuffle final : public Op {
 public:
  explicit PixelShuffle(Args& a)
      : x_(a.tensor("self")),
        factor_(ShuffledPixels::read_factor(a, x_)),
        copy_(a, a.out(), x_, "pixel_shuffle") {}

  Status plan(const Shapes& s, Plan& plan) const override {
    HW_TRY(const ShuffledPixels y, ShuffledPixels::of(s[x_], factor_));
    return copy_.plan(s, y.dims, y.loop, 0, plan);
  }

 private:
  Tensor x_;
  int64_t factor_;
  StridedCopy copy_;
};

HIGHWATER_OP(PixelShuffle, "aten.pixel_shuffle.default(Tensor self, int upscale_factor) -> Tensor");

}  // namespace
}  // namespace highwater
