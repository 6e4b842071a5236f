#include "wgsl/training/q4_requant.h"

#include "graph/op.h"

namespace highwater {
namespace {

// Weights in the 4 bits that a layer reads, by scales that stay as they are.
class Requantize final : public Op {
 public:
  explicit Requantize(Args& a)
      : x_(a.tensor("latent")),
        scale_(a.tensor("scales")),
        group_(a.integer("group_size")),
        y_(a.out()),
        step_(a.step<wgsl::training::q4_requant>({y_, x_, scale_})) {
    a.require(a.bound(x_).rank() == 2 && a.bound(scale_).rank() == 2, "weights of dims ",
              a.bound(x_), " with scales of dims ", a.bound(scale_));
    a.require(group_ > 0, "groups of ", group_);
    a.require(a.dtype(y_) == DType::UInt8, "its result is ", a.dtype(y_), ", not bytes");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[x_], &scale = s[scale_];
    if (scale[1] != x[0] || scale[0] < ceil_div<int64_t>(x[1], group_)) {
      return fail("scales of dims ", scale, " for weights of dims ", x, " in groups of ", group_);
    }
    const Dims y{x[0], ceil_div<int64_t>(x[1], 2)};
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = quads_of(y.numel()),
              .numel = u32(y.numel()),
              .rows = u32(x[0]),
              .width = u32(x[1]),
              .row_bytes = u32(y[1]),
              .group = u32(group_)},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor x_;
  Tensor scale_;
  int64_t group_;
  Tensor y_;
  Step<wgsl::training::q4_requant> step_;
};

HIGHWATER_OP(Requantize,
             "et_vk.q4gsw_requant.default(FloatTensor latent, FloatTensor scales, "
             "int group_size) -> Tensor");

}  // namespace
}  // namespace highwater
