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
  std::string_view stem;      // "aten.<stem>.<overload>"
  std::string_view on_float;  // a and b are vec4<f32>
  std::string_view on_int;    // a and b are vec4<i32>
};

constexpr Row kRows[] = {
    {"add", "a + alpha * b", "a + alpha * b"},
    {"sub", "a - alpha * b", "a - alpha * b"},
    {"rsub", "b - alpha * a", "b - alpha * a"},
    {"mul", "a * b", "a * b"},
    {"div", "a / b", "a / b"},
    {"floor_divide", "floor_divide(a, b)", "floor_divide_int(a, b)"},
    {"pow", "power(a, b)", "power_int(a, b)"},
    {"minimum", "min(a, b)", "min(a, b)"},
    {"maximum", "max(a, b)", "max(a, b)"},
    {"eq", "a == b", "a == b"},
    {"ne", "a != b", "a != b"},
    {"lt", "a < b", "a < b"},
    {"le", "a <= b", "a <= b"},
    {"gt", "a > b", "a > b"},
    {"ge", "a >= b", "a >= b"},
    {"logical_and", "(a != vec4<T>()) & (b != vec4<T>())", "(a != vec4<T>()) & (b != vec4<T>())"},
    {"logical_or", "(a != vec4<T>()) | (b != vec4<T>())", "(a != vec4<T>()) | (b != vec4<T>())"},
    {"logical_xor", "(a != vec4<T>()) != (b != vec4<T>())", "(a != vec4<T>()) != (b != vec4<T>())"},
    {"bitwise_and", {}, "a & b"},
    {"bitwise_or", {}, "a | b"},
    {"bitwise_xor", {}, "a ^ b"},
};

const Row* row_of(std::string_view op) {
  const size_t begin = op.find('.') + 1;
  const std::string_view stem = op.substr(begin, op.find('.', begin) - begin);
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return r.stem == stem; });
  return row == std::end(kRows) ? nullptr : row;
}

class Binary final : public Op {
 public:
  explicit Binary(Args& a) : x_(a.tensor(0)), y_(a.out(a.last())) {
    const bool b_is_number = a.op().ends_with("_Scalar") || a.op().ends_with(".Scalar");
    if (b_is_number) {
      number_ = a.number(1);
    } else {
      b_ = a.tensor(1);
    }
    const bool on_float = is_float(a.dtype(x_)) || is_float(a.dtype(y_)) ||
                          (b_is_number ? std::trunc(number_) != number_ : is_float(a.dtype(*b_)));
    std::string_view expression = choose_expression(a, on_float);
    const Substitution type{"T", on_float ? "f32" : "i32"};
    const Substitution functions{"FUNCTIONS", std::string(wgsl::binary_functions::kSource.text)};
    const Substitution computed{"EXPRESSION", std::string(expression)};
    const std::string_view variant = row_of(a.op())->stem;
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
    const Row& row = *row_of(a.op());
    if (row.stem == "add" || row.stem == "sub" || row.stem == "rsub") {
      // (a, b, alpha, y); alpha is not always written.
      if (a.size() > 3) alpha_ = a.number_or(2, 1.0);
    }
    if (row.stem == "div" && a.op().find("mode") != std::string_view::npos && !a.is_null(2)) {
      const std::string mode = a.string(2);
      if (mode == "floor") return on_float ? "floor_divide(a, b)" : "floor_divide_int(a, b)";
      a.require(mode == "trunc", "rounding mode '", mode, "' is neither floor nor trunc");
      return on_float ? "trunc(a / b)" : "a / b";
    }
    const std::string_view expression = on_float ? row.on_float : row.on_int;
    a.require(!expression.empty(), "it is not defined on floats");
    return expression;
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

HIGHWATER_OP(Binary, "aten.add.Tensor", "aten.sub.Tensor", "aten.rsub.Tensor", "aten.mul.Tensor",
             "aten.div.Tensor", "aten.div.Tensor_mode", "aten.floor_divide.default",
             "aten.pow.Tensor_Tensor", "aten.minimum.default", "aten.maximum.default",
             "aten.eq.Tensor", "aten.ne.Tensor", "aten.lt.Tensor", "aten.le.Tensor",
             "aten.gt.Tensor", "aten.ge.Tensor", "aten.logical_and.default",
             "aten.logical_or.default", "aten.logical_xor.default", "aten.bitwise_and.Tensor",
             "aten.bitwise_or.Tensor", "aten.bitwise_xor.Tensor");
HIGHWATER_OP(Binary, "aten.add.Scalar", "aten.sub.Scalar", "aten.rsub.Scalar", "aten.mul.Scalar",
             "aten.div.Scalar", "aten.pow.Tensor_Scalar", "aten.eq.Scalar", "aten.ne.Scalar",
             "aten.lt.Scalar", "aten.le.Scalar", "aten.gt.Scalar", "aten.ge.Scalar",
             "aten.bitwise_and.Scalar", "aten.bitwise_or.Scalar", "aten.bitwise_xor.Scalar");

}  // namespace
}  // namespace highwater
