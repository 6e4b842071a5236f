#include <algorithm>
#include <cmath>

#include "graph/op.h"
#include "graph/strided.h"
#include "ops/narrow.h"
#include "wgsl/binary_broadcast.h"
#include "wgsl/binary_flat.h"
#include "wgsl/binary_functions.h"
#include "wgsl/binary_number.h"

namespace highwater {
namespace {

// One row an op: what it computes from the quads a and b, as WGSL.
struct Row {
  OpRow op;
  std::string_view expression;
  std::string_view on_int = {};  // where that differs
  bool ints_alone = false;
};

constexpr Row kRows[] = {
    {"aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "a + alpha * b"},
    {"aten.add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "a + alpha * b"},
    {"aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "a - alpha * b"},
    {"aten.sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "a - alpha * b"},
    {"aten.rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "b - alpha * a"},
    {"aten.rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "b - alpha * a"},
    {"aten.mul.Tensor(Tensor self, Tensor other) -> Tensor", "a * b"},
    {"aten.mul.Scalar(Tensor self, Scalar other) -> Tensor", "a * b"},
    {"aten.div.Tensor(Tensor self, Tensor other) -> Tensor", "a / b"},
    {"aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", "a / b"},
    {"aten.div.Scalar(Tensor self, Scalar other) -> Tensor", "a / b"},
    {"aten.floor_divide.default(Tensor self, Tensor other) -> Tensor", "floor_divide(a, b)",
     "floor_divide_int(a, b)"},
    {"aten.pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", "power(a, b)",
     "power_int(a, b)"},
    {"aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", "power(a, b)",
     "power_int(a, b)"},
    {"aten.minimum.default(Tensor self, Tensor other) -> Tensor", "min(a, b)"},
    {"aten.maximum.default(Tensor self, Tensor other) -> Tensor", "max(a, b)"},
    {"aten.eq.Tensor(Tensor self, Tensor other) -> Tensor", "a == b"},
    {"aten.eq.Scalar(Tensor self, Scalar other) -> Tensor", "a == b"},
    {"aten.ne.Tensor(Tensor self, Tensor other) -> Tensor", "a != b"},
    {"aten.ne.Scalar(Tensor self, Scalar other) -> Tensor", "a != b"},
    {"aten.lt.Tensor(Tensor self, Tensor other) -> Tensor", "a < b"},
    {"aten.lt.Scalar(Tensor self, Scalar other) -> Tensor", "a < b"},
    {"aten.le.Tensor(Tensor self, Tensor other) -> Tensor", "a <= b"},
    {"aten.le.Scalar(Tensor self, Scalar other) -> Tensor", "a <= b"},
    {"aten.gt.Tensor(Tensor self, Tensor other) -> Tensor", "a > b"},
    {"aten.gt.Scalar(Tensor self, Scalar other) -> Tensor", "a > b"},
    {"aten.ge.Tensor(Tensor self, Tensor other) -> Tensor", "a >= b"},
    {"aten.ge.Scalar(Tensor self, Scalar other) -> Tensor", "a >= b"},
    {"aten.logical_and.default(Tensor self, Tensor other) -> Tensor",
     "(a != vec4<T>()) & (b != vec4<T>())"},
    {"aten.logical_or.default(Tensor self, Tensor other) -> Tensor",
     "(a != vec4<T>()) | (b != vec4<T>())"},
    {"aten.logical_xor.default(Tensor self, Tensor other) -> Tensor",
     "(a != vec4<T>()) != (b != vec4<T>())"},
    {"aten.bitwise_and.Tensor(IntTensor self, IntTensor other) -> Tensor", "a & b", {}, true},
    {"aten.bitwise_and.Scalar(IntTensor self, Scalar other) -> Tensor", "a & b", {}, true},
    {"aten.bitwise_or.Tensor(IntTensor self, IntTensor other) -> Tensor", "a | b", {}, true},
    {"aten.bitwise_or.Scalar(IntTensor self, Scalar other) -> Tensor", "a | b", {}, true},
    {"aten.bitwise_xor.Tensor(IntTensor self, IntTensor other) -> Tensor", "a ^ b", {}, true},
    {"aten.bitwise_xor.Scalar(IntTensor self, Scalar other) -> Tensor", "a ^ b", {}, true},
};

class Binary final : public Op {
 public:
  explicit Binary(Args& a) : x_(a.tensor("self")), y_(a.out()) {
    const std::string_view other = a.takes("exponent") ? "exponent" : "other";
    const bool b_is_number = a.op().ends_with("Scalar");
    if (b_is_number) {
      number_ = a.number(other);
    } else {
      b_ = a.tensor(other);
    }
    if (a.takes("alpha")) alpha_ = a.number("alpha");
    const bool on_float = is_float(a.dtype(x_)) || is_float(a.dtype(y_)) ||
                          (b_is_number ? std::trunc(number_) != number_ : is_float(a.dtype(*b_)));
    std::string_view expression = choose_expression(a, on_float);
    const Substitution type{"T", on_float ? "f32" : "i32"};
    const Substitution functions{"FUNCTIONS", std::string(wgsl::binary_functions::kSource.text)};
    const Substitution computed{"EXPRESSION", std::string(expression)};
    const std::string_view name = a.op().substr(a.op().find('.') + 1);
    const std::string_view variant = name.substr(0, name.find('.'));
    if (b_is_number) {
      with_number_ = a.step<wgsl::binary_number>(
          {y_, x_}, {type, functions, computed, {"T_NAME", on_float ? "float" : "int"}}, variant);
    } else {
      flat_ = a.step<wgsl::binary_flat>({y_, x_, *b_}, {type, functions, computed}, variant);
      broadcast_ =
          a.step<wgsl::binary_broadcast>({y_, x_, *b_}, {type, functions, computed}, variant);
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    if (!b_) {
      const int64_t numel = s[x_].numel();
      plan.resize(y_, s[x_]);
      plan.run(with_number_,
               {.quads = quads_of(numel),
                .alpha = narrow_to_float(alpha_),
                .b_float = narrow_to_float(number_),
                .b_int = narrow_to_int(number_)},
               Grid::quads(numel));
      return {};
    }
    const Dims &a = s[x_], &b = s[*b_];
    HW_TRY(const Dims y, s.broadcast({x_, *b_}));
    plan.resize(y_, y);
    const float alpha = narrow_to_float(alpha_);
    const auto is_flat = [&](const Dims& d) { return d.numel() == 1 || d.numel() == y.numel(); };
    if (is_flat(a) && is_flat(b)) {
      plan.run(flat_,
               {.quads = quads_of(y.numel()),
                .a_is_scalar = a.numel() == 1,
                .b_is_scalar = b.numel() == 1,
                .alpha = alpha},
               Grid::quads(y.numel()));
      return {};
    }
    StridedLoop<2> loop;
    for (size_t i = 0; i < y.rank(); ++i) {
      loop.add_dim(y[i], {broadcast_stride(a, y, i), broadcast_stride(b, y, i)});
    }
    plan.run(broadcast_,
             {.quads = quads_of(y.numel()),
              .rank = loop.rank(),
              .by_quad = loop.by_quad(0) && loop.by_quad(1),
              .alpha = alpha,
              .size = loop.sizes(),
              .a_stride = loop.strides(0),
              .b_stride = loop.strides(1),
              .a_inner_stride = u32(loop.inner_stride(0)),
              .b_inner_stride = u32(loop.inner_stride(1))},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  std::string_view choose_expression(Args& a, bool on_float) {
    if (a.takes("rounding_mode") && !a.is_null("rounding_mode")) {
      const std::string mode = a.string("rounding_mode");
      if (mode == "floor") return on_float ? "floor_divide(a, b)" : "floor_divide_int(a, b)";
      a.require(mode == "trunc", "rounding mode '", mode, "' is neither floor nor trunc");
      return on_float ? "trunc(a / b)" : "a / b";
    }
    const Row& row = row_of(kRows, a.op());
    a.require(!(on_float && row.ints_alone), "it is not defined on floats");
    return on_float || row.on_int.empty() ? row.expression : row.on_int;
  }

  Tensor x_;
  std::optional<Tensor> b_;
  Tensor y_;
  double alpha_ = 1.0;
  double number_ = 0.0;
  Step<wgsl::binary_flat> flat_;
  Step<wgsl::binary_broadcast> broadcast_;
  Step<wgsl::binary_number> with_number_;
};

HIGHWATER_OPS(Binary, kRows);

}  // namespace
}  // namespace highwater
