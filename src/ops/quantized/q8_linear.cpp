// Linear layers with int8 weights, of which each column has a scale.
#include "ops/quantized/q8_layer.h"

namespace highwater {
namespace {

// What an op's arguments are called; empty where it has none.
struct LinearRow {
  OpRow op;
  std::string_view x, w, scale;
};

constexpr LinearRow kLinears[] = {
    {"aten._weight_int8pack_mm.default(FloatTensor self, IntTensor mat2, FloatTensor scales) -> "
     "Tensor",
     "self", "mat2", "scales"},
    // Its input is int8, or floats that are taken as they are.
    {"et_vk.linear_q8ta_q8csw.default(Tensor x, float input_scale, int input_zero_point, IntTensor "
     "weights, Tensor weight_sums, FloatTensor weight_scales, FloatTensor? bias=None) -> Tensor",
     "x", "weights", "weight_scales"},
    {"et_vk.q8ta_linear.default(IntTensor x, float input_scale, int input_zero_point, IntTensor "
     "weights, Tensor weight_sums, FloatTensor weight_scales, float output_scale, int "
     "output_zero_point, FloatTensor? bias=None, str activation=\"none\") -> Tensor",
     "x", "weights", "weight_scales"},
    {"et_vk.q8ta_linear_gemv.default(IntTensor x, float input_scale, int input_zero_point, "
     "IntTensor weights, Tensor weight_sums, FloatTensor weight_scales, float output_scale, int "
     "output_zero_point, FloatTensor? bias=None, str activation=\"none\") -> Tensor",
     "x", "weights", "weight_scales"},
};

class Q8Linear final : public Op {
 public:
  explicit Q8Linear(Args& a)
      : row_(row_of(kLinears, a.op())),
        x_(a.tensor(row_.x)),
        w_(a.tensor(row_.w)),
        y_(a.out()),
        depth_(a.bound(x_).back()),
        columns_(a.bound(w_).rank() == 2 ? a.bound(w_)[0] : 0),
        layer_(a, operands(a), {1, 1, a.bound(x_).rows()}) {
    a.require(!a.bound(x_).empty(), "its input has rank 0");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims y = s[x_];
    if (y.back() != depth_) return fail("an input of dims ", y, " for weights of ", depth_);
    y[y.rank() - 1] = columns_;
    if (y.rows() == 0) {
      plan.resize(y_, y);
      return {};
    }
    return layer_.plan(s, {1, 1, y.rows()}, y, plan);
  }

 private:
  Q8Layer::Operands operands(Args& a) {
    Q8Layer::Operands o{.x = x_,
                        .w = w_,
                        .scale = a.tensor(row_.scale),
                        .bias = std::nullopt,
                        .y = y_,
                        .channels = depth_,
                        .columns = columns_,
                        .x_layout = {true, depth_},
                        .y_layout = {true, columns_}};
    if (a.takes("bias")) o.bias = a.optional_tensor("bias");
    if (!is_float(a.dtype(x_))) {
      o.x_scale = a.number("input_scale");
      o.x_zero = a.integer("input_zero_point");
    }
    if (a.takes("output_scale")) o.quantized = read_quantized(a);
    return o;
  }

  const LinearRow& row_;
  Tensor x_;
  Tensor w_;
  Tensor y_;
  int64_t depth_;
  int64_t columns_;
  Q8Layer layer_;
};

HIGHWATER_OPS(Q8Linear, kLinears);

}  // namespace
}  // namespace highwater
