// Convolutions of int8 by int8.
#include "ops/quantized/q8_layer.h"

namespace highwater {
namespace {

// Programs have channels before rows and columns. Between convolutions they may be last, and then
// are whole quads.
class Q8Conv final : public Op {
 public:
  explicit Q8Conv(Args& a)
      : x_(a.tensor("x")),
        y_(a.out()),
        takes_last_(a.takes("channels") && !a.is_null("channels")),
        gives_last_(a.takes("gives_channels_last") && a.flag("gives_channels_last")),
        layer_(a, operands(a), images(a.bound(x_))) {
    a.require(a.bound(x_).rank() == 4, "an input of dims ", a.bound(x_));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    if (x.rank() != 4 || x[takes_last_ ? 3 : 1] != x_channels_) {
      return fail("an input of dims ", x, " for ", layer_.channels(), " channels");
    }
    HW_TRY(const Q8Layer::Images y, layer_.result(images(x)));
    const Dims dims = gives_last_
                          ? Dims{y.count, y.height, y.width, round_up<int64_t>(layer_.columns(), 4)}
                          : Dims{y.count, layer_.columns(), y.height, y.width};
    return layer_.plan(s, images(x), dims, plan);
  }

 private:
  Q8Layer::Images images(const Dims& x) const {
    if (x.rank() != 4) return {0, 1, 1};
    return takes_last_ ? Q8Layer::Images{x[0], x[1], x[2]} : Q8Layer::Images{x[0], x[2], x[3]};
  }

  Q8Layer::Operands operands(Args& a) {
    const Tensor w = a.tensor("weights");
    const Dims &x = a.bound(x_), &dims = a.bound(w);
    const bool depthwise = a.op().find("conv2d_dw") != a.op().npos;
    const int64_t columns = dims.empty() ? 0 : depthwise ? dims.back() : dims[0];
    if (x.rank() == 4) x_channels_ = x[takes_last_ ? 3 : 1];
    const int64_t given = takes_last_ ? a.integer("channels") : x_channels_;
    const bool fits =
        !takes_last_ || (x_channels_ % 4 == 0 && ceil_div<int64_t>(given, 4) == x_channels_ / 4);
    a.require(fits, given, " channels in dims ", x);
    const int64_t channels = fits ? given : x_channels_;
    return {.x = x_,
            .w = w,
            .scale = a.tensor("weight_scales"),
            .bias = a.optional_tensor("bias"),
            .y = y_,
            .channels = channels,
            .columns = columns,
            .x_scale = a.number("input_scale"),
            .x_zero = a.integer("input_zero_point"),
            .quantized = read_quantized(a),
            .x_layout = {takes_last_, x_channels_},
            .y_layout = {gives_last_, round_up<int64_t>(columns, 4)},
            .window = Window::read(a),
            .groups = a.integer("groups"),
            .depthwise = depthwise};
  }

  Tensor x_;
  Tensor y_;
  bool takes_last_;
  bool gives_last_;
  int64_t x_channels_ = 0;  // with those to spare
  Q8Layer layer_;
};

#define HW_Q8_CONV(name, output_padding, rest)                                               \
  name "(IntTensor x, float input_scale, int input_zero_point, IntTensor weights, Tensor "   \
       "weight_sums, FloatTensor weight_scales, float output_scale, int output_zero_point, " \
       "FloatTensor? bias, int[] kernel_size, int[] stride, int[] padding, " output_padding  \
       "int[] dilation, int groups, str activation" rest ") -> Tensor"
#define HW_OURS                                                                               \
  ", int? channels, bool gives_channels_last=False, str? then, str? approximate, Scalar? p, " \
  "Scalar? q, float? then_scale, int then_zero_point=0"
#define HW_OUTPUT_PADDING "int[] output_padding, "

HIGHWATER_OP(Q8Conv, HW_Q8_CONV("et_vk.q8ta_conv2d.default", "", ""),
             HW_Q8_CONV("et_vk.q8ta_conv2d_pw.default", "", ""),
             HW_Q8_CONV("et_vk.q8ta_conv2d_dw.default", "", ""),
             HW_Q8_CONV("et_vk.q8ta_conv2d_transposed.default", HW_OUTPUT_PADDING, ""));
// What passes make of them: see fuse_q8_conv_activation and keep_channels_last.
HIGHWATER_OP(Q8Conv, HW_Q8_CONV("hw.q8ta_conv2d", "", HW_OURS),
             HW_Q8_CONV("hw.q8ta_conv2d_pw", "", HW_OURS),
             HW_Q8_CONV("hw.q8ta_conv2d_dw", "", HW_OURS),
             HW_Q8_CONV("hw.q8ta_conv2d_transposed", HW_OUTPUT_PADDING, HW_OURS));

}  // namespace
}  // namespace highwater
