// Convolutions of sequences and images, as the exporter writes them.
#include <limits>

#include "ops/conv/convolution.h"
#include "ops/map/map.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

Dims kernel_of(const Dims& weight) {
  Dims kernel;
  for (size_t i = 2; i < weight.rank(); ++i) kernel.push_back(weight[i]);
  return kernel;
}

Epilogue epilogue_of(Args& a) {
  if (!a.takes("output_min")) return {};
  constexpr double kLowest = std::numeric_limits<double>::lowest();
  return {
      "fn epilogue(v: vec4<f32>) -> vec4<f32> {\n"
      "  return clamp(v, vec4<f32>(params.p), vec4<f32>(params.q));\n}",
      "clamp", narrow_to_float(a.number_or("output_min", kLowest)),
      narrow_to_float(a.number_or("output_max", -kLowest))};
}

class Conv final : public Op {
 public:
  explicit Conv(Args& a) : x_(a.tensor("input")), y_(a.out()) {
    const Tensor w = a.tensor("weight");
    const size_t rank = a.bound(w).rank();
    a.require(rank == 3 || rank == 4, "a weight of dims ", a.bound(w),
              "; windows have one dim or two");
    if (rank != 3 && rank != 4) return;
    // A kernel writes single elements, which narrow ones do not allow.
    const bool is_narrow = a.dtype(y_) != DType::Float32;
    const Tensor to = is_narrow ? a.scratch(DType::Float32, a.bound(y_).numel()) : y_;
    convolution_ = Convolution(a,
                               {.y = to,
                                .x = x_,
                                .w = w,
                                .bias = a.optional_tensor("bias"),
                                .groups = a.integer("groups")},
                               Window::read(a, kernel_of(a.bound(w))), epilogue_of(a));
    if (is_narrow) {
      scratch_ = to;
      narrow_ = Map(a, Mapped::copy(a, y_, to, "narrow"));
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    HW_TRY(const Dims y, convolution_.output_dims(x));
    plan.resize(y_, y);
    if (scratch_) plan.resize(*scratch_, {y.numel()});
    convolution_.plan(x, y, plan);
    if (narrow_) narrow_->plan(s, y, plan);
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  Convolution convolution_;
  std::optional<Tensor> scratch_;
  std::optional<Map> narrow_;
};

HIGHWATER_OP(Conv,
             {"aten.convolution.default(FloatTensor input, FloatTensor weight, FloatTensor? bias, "
              "SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, "
              "SymInt[] output_padding, int groups) -> Tensor",
              "weights are constants; one or two spatial dims"},
             {"et_vk.conv_with_clamp.default(FloatTensor input, FloatTensor weight, "
              "FloatTensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, "
              "bool transposed, SymInt[] output_padding, int groups, Scalar? output_min, "
              "Scalar? output_max) -> Tensor",
              "weights are constants; one or two spatial dims"});

}  // namespace
}  // namespace highwater
