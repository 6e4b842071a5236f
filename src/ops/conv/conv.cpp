// Convolutions of sequences and images, as the exporter writes them.
#include "ops/conv/convolution.h"
#include "ops/map/map.h"

namespace highwater {
namespace {

Dims kernel_of(const Dims& weight) {
  Dims kernel;
  for (size_t i = 2; i < weight.rank(); ++i) kernel.push_back(weight[i]);
  return kernel;
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
    const Epilogue epilogue = Epilogue::read(a);
    residual_ = epilogue.residual;
    const Tensor to = is_narrow ? a.scratch(DType::Float32, a.bound(y_).numel()) : y_;
    convolution_ = Convolution(a,
                               {.y = to,
                                .x = x_,
                                .w = w,
                                .bias = a.optional_tensor("bias"),
                                .groups = a.integer("groups")},
                               Window::read(a, kernel_of(a.bound(w))), epilogue);
    if (is_narrow) {
      scratch_ = to;
      narrow_ = Map(a, Mapped::copy(a, y_, to, "narrow"));
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    HW_TRY(const Dims y, convolution_.output_dims(x));
    if (residual_ && !(s[*residual_] == y)) {
      return fail("a residual of dims ", s[*residual_], " for a result of dims ", y);
    }
    plan.resize(y_, y);
    if (scratch_) plan.resize(*scratch_, {y.numel()});
    convolution_.plan(x, y, plan);
    if (narrow_) narrow_->plan(s, y, plan);
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  std::optional<Tensor> residual_;
  Convolution convolution_;
  std::optional<Tensor> scratch_;
  std::optional<Map> narrow_;
};

#define HW_CONV(name, rest)                                                              \
  name "(FloatTensor input, FloatTensor weight, FloatTensor? bias, SymInt[] stride, "    \
       "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, " \
       "int groups" rest ") -> Tensor"

HIGHWATER_OP(Conv,
             {HW_CONV("aten.convolution.default", ""),
              "weights are constants; one or two spatial dims"},
             {HW_CONV("et_vk.conv_with_clamp.default", ", Scalar? output_min, Scalar? output_max"),
              "weights are constants; one or two spatial dims"},
             // See fuse_conv_epilogue. The activation is a unary op by its name.
             HW_CONV("hw.conv",
                     ", str? activation, str? approximate, Scalar? p, Scalar? q, "
                     "bool gates=False, FloatTensor? residual, bool adds_last=False"));

}  // namespace
}  // namespace highwater
