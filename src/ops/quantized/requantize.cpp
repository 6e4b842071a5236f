// Functions of int8 tensors whose result is int8 again, with a scale of its own.
#include "ops/gather/shuffled_pixels.h"
#include "ops/map/map.h"

namespace highwater {
namespace {

// Numbers are the scale and the zero point of the result, then of each operand, and alpha.
struct RequantizeRow {
  OpRow op;
  std::string_view a;  // what the arguments of the first operand begin with
  std::string_view expression;
};

constexpr RequantizeRow kRequantizers[] = {
    {"et_vk.q8ta_add.default(IntTensor input_a, IntTensor input_b, float input_a_scale, int "
     "input_a_zero_point, float input_b_scale, int input_b_zero_point, float output_scale, int "
     "output_zero_point, float alpha) -> Tensor",
     "input_a", "to_int8((a - s) * r + v * ((b - u) * t), p, q)"},
    {"et_vk.q8ta_relu.default(IntTensor input, float input_scale, int input_zero_point, float "
     "output_scale, int output_zero_point) -> Tensor",
     "input", "to_int8(max((a - s) * r, vec4<f32>()), p, q)"},
    {"et_vk.q8ta_pixel_shuffle.default(IntTensor input, float input_scale, int input_zero_point, "
     "float output_inv_scale, int output_zero_point, int upscale_factor) -> Tensor",
     "input", "to_int8((a - s) * r, p, q)"},
};

class Requantize final : public Op {
 public:
  explicit Requantize(Args& a)
      : row_(row_of(kRequantizers, a.op())), x_(a.tensor(row_.a)), y_(a.out()) {
    const double scale =
        a.takes("output_scale") ? a.number("output_scale") : 1.0 / a.number("output_inv_scale");
    const std::string_view name = a.op().substr(a.op().find("q8ta"));
    Mapped mapped{.y = y_,
                  .operands = {x_},
                  .numbers = {LiveNumber(1.0 / scale), LiveNumber(a, "output_zero_point"),
                              LiveNumber(a, text(row_.a, "_scale")),
                              LiveNumber(a, text(row_.a, "_zero_point"))},
                  .expression = row_.expression,
                  .variant = name.substr(0, name.find('.'))};
    if (a.takes("input_b")) {
      mapped.operands.push_back(a.tensor("input_b"));
      for (std::string_view number : {"input_b_scale", "input_b_zero_point", "alpha"}) {
        mapped.numbers.emplace_back(a, number);
      }
    }
    for (Tensor t : mapped.operands) require_int8(a, t);
    require_int8(a, y_);
    if (!a.takes("upscale_factor")) {
      map_ = Map(a, mapped);
      return;
    }
    upscale_ = ShuffledPixels::read_factor(a, x_);
    shuffle_ = StridedMap(a, mapped);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    if (map_) return map_->plan(s, plan);
    HW_TRY(const ShuffledPixels y, ShuffledPixels::of(s[x_], upscale_));
    return shuffle_->plan(s, y.dims, y.loop, 0, plan);
  }

 private:
  static void require_int8(Args& a, Tensor t) {
    a.require(a.dtype(t) == DType::Int8, "a tensor of ", a.dtype(t), ", not int8");
  }

  const RequantizeRow& row_;
  Tensor x_;
  Tensor y_;
  int64_t upscale_ = 1;
  std::optional<Map> map_;
  std::optional<StridedMap> shuffle_;
};

HIGHWATER_OPS(Requantize, kRequantizers);

}  // namespace
}  // namespace highwater
