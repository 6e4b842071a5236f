// Linear layers whose input is quantized to int8 row by row as it comes.
#include "ops/linear/q4_matmul.h"
#include "wgsl/linear/fake_quantize_given.h"

namespace highwater {
namespace {

// Integer sums less the zero point's part, times the scales, are the product with the input as int8
// shows it; so that input is made first, and the product is the one of every other 4-bit layer.
class LinearDq8caQ4gsw final : public Op {
 public:
  explicit LinearDq8caQ4gsw(Args& a)
      : x_(a.tensor("input")),
        scale_(a.tensor("input_scales")),
        zero_(a.tensor("input_zp")),
        seen_(a.scratch(DType::Float32, a.bound(x_).numel())),
        quantize_(a.step<wgsl::linear::fake_quantize_given>({seen_, x_, scale_, zero_})),
        matmul_(a, {.input = {.x = seen_},
                    .w = a.tensor("weights"),
                    .scale = a.tensor("weight_scales"),
                    .bias = a.optional_tensor("bias"),
                    .ys = {a.out()},
                    .group = a.integer("group_size"),
                    .depth = a.bound(x_).back()}) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const int64_t rows = x.rows();
    if (s[scale_].numel() != rows || s[zero_].numel() != rows) {
      return fail("scales of dims ", s[scale_], " for an input of dims ", x);
    }
    plan.resize(seen_, {x.numel()});
    plan.run(quantize_,
             {.quads = quads_of(x.numel()), .numel = u32(x.numel()), .width = u32(x.back())},
             Grid::quads(x.numel()));
    return matmul_.plan(x, plan);
  }

 private:
  Tensor x_;
  Tensor scale_;
  Tensor zero_;
  Tensor seen_;
  Step<wgsl::linear::fake_quantize_given> quantize_;
  Q4Matmul matmul_;
};

HIGHWATER_OP(LinearDq8caQ4gsw,
             "et_vk.linear_dq8ca_q4gsw.default(FloatTensor input, FloatTensor input_scales, "
             "Tensor input_zp, IntTensor weights, Tensor weight_sums, "
             "FloatTensor weight_scales, int group_size, FloatTensor? bias=None) -> Tensor");

}  // namespace
}  // namespace highwater
