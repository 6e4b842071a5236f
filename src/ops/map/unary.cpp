#include <algorithm>
#include <limits>

#include "ops/map/elementwise.h"

namespace highwater {
namespace {

// One row an op: what it computes from the quad x, as WGSL. p and q are the number arguments of
// these names; none is without limit.
struct Row {
  OpRow op;
  std::string_view on_float;
  std::string_view on_int = {};  // empty: ints are computed as floats
  std::string_view p = {};
  std::string_view q = {};
};

constexpr double kLowest = std::numeric_limits<double>::lowest();
constexpr double kHighest = std::numeric_limits<double>::max();

// Exact and by tanh, as the op's string argument says.
constexpr std::string_view kGelu = "0.5 * x * (1.0 + error_function(x * 0.7071067811865476))";
constexpr std::string_view kGeluTanh =
    "0.5 * x * (1.0 + safe_tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))";

constexpr Row kRows[] = {
    {"aten.abs.default(Tensor self) -> Tensor", "abs(x)", "abs(x)"},
    {"aten.neg.default(Tensor self) -> Tensor", "-x", "-x"},
    {"aten.exp.default(Tensor self) -> Tensor", "exp(x)"},
    {"aten.log.default(Tensor self) -> Tensor", "log(x)"},
    {"aten.log2.default(Tensor self) -> Tensor", "log2(x)"},
    {"aten.log10.default(Tensor self) -> Tensor", "log(x) * 0.4342944819032518"},
    {"aten.sqrt.default(Tensor self) -> Tensor", "sqrt(x)"},
    {"aten.rsqrt.default(Tensor self) -> Tensor", "inverseSqrt(x)"},
    {"aten.reciprocal.default(Tensor self) -> Tensor", "1.0 / x"},
    {"aten.sin.default(Tensor self) -> Tensor", "sin(x)"},
    {"aten.cos.default(Tensor self) -> Tensor", "cos(x)"},
    {"aten.tan.default(Tensor self) -> Tensor", "tan(x)"},
    {"aten.tanh.default(Tensor self) -> Tensor", "safe_tanh(x)"},
    {"aten.erf.default(Tensor self) -> Tensor", "error_function(x)"},
    {"aten.sigmoid.default(Tensor self) -> Tensor", "1.0 / (1.0 + exp(-x))"},
    {"aten.relu.default(Tensor self) -> Tensor", "max(x, vec4<T>())", "max(x, vec4<T>())"},
    {"aten.hardswish.default(Tensor self) -> Tensor",
     "x * clamp(x + 3.0, vec4<T>(), vec4<T>(6.0)) / 6.0"},
    {"aten.hardsigmoid.default(Tensor self) -> Tensor",
     "clamp(x + 3.0, vec4<T>(), vec4<T>(6.0)) / 6.0"},
    {"aten.hardtanh.default(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
     "clamp(x, p, q)", "clamp(x, p, q)", "min_val", "max_val"},
    {"aten.clamp.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
     "min(max(x, p), q)", "min(max(x, p), q)", "min", "max"},
    {"aten.hardshrink.default(Tensor self, Scalar lambd=0.5) -> Tensor",
     "select(x, vec4<T>(), abs(x) <= p)",
     {},
     "lambd"},
    {"aten.leaky_relu.default(Tensor self, Scalar negative_slope=0.01) -> Tensor",
     "select(p * x, x, x > vec4<T>())",
     {},
     "negative_slope"},
    {"aten.round.default(Tensor self) -> Tensor", "round(x)", "x"},
    {"aten.floor.default(Tensor self) -> Tensor", "floor(x)", "x"},
    {"aten.ceil.default(Tensor self) -> Tensor", "ceil(x)", "x"},
    {"aten.trunc.default(Tensor self) -> Tensor", "trunc(x)", "x"},
    {"aten.sign.default(Tensor self) -> Tensor", "sign(x)", "sign(x)"},
    {"aten.logical_not.default(Tensor self) -> Tensor", "x == vec4<T>()", "x == vec4<T>()"},
    {"aten.bitwise_not.default(IntTensor self) -> Tensor", {}, "~x"},
    {"aten.gelu.default(Tensor self, *, str approximate=\"none\") -> Tensor", kGelu},
};

class Unary final : public Op {
 public:
  explicit Unary(Args& a) : x_(a.tensor("self")), y_(a.out()) {
    const Row row = row_for(a, a.dtype(x_));
    const bool on_float = is_float(a.dtype(x_)) || row.on_int.empty();
    const std::string_view name = a.op().substr(a.op().find('.') + 1);
    function_ = Elementwise(a, y_, x_, on_float, on_float ? row.on_float : row.on_int,
                            name.substr(0, name.find('.')), numbers(a, row));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    plan.resize(y_, s[x_]);
    function_.plan(s[x_], plan);
    return {};
  }

 private:
  // The op's row, where need be as its other arguments say.
  static Row row_for(Args& a, DType type) {
    Row row = row_of(kRows, a.op());
    if (row.on_float == kGelu) {
      const std::string approximate = a.string("approximate");
      a.require(approximate == "none" || approximate == "tanh", "gelu's approximation '",
                approximate, "' is neither none nor tanh");
      if (approximate == "tanh") row.on_float = kGeluTanh;
    }
    if (row.on_int == "~x" && type == DType::Bool) row.on_int = "x == vec4<T>()";
    return row;
  }

  static Elementwise::Numbers numbers(Args& a, const Row& row) {
    return {row.p.empty() ? 0 : a.number_or(row.p, kLowest),
            row.q.empty() ? 0 : a.number_or(row.q, kHighest)};
  }

  Tensor x_;
  Tensor y_;
  Elementwise function_;
};

HIGHWATER_OPS(Unary, kRows);

}  // namespace
}  // namespace highwater
