// Functions of one tensor.
#include "ops/map/unary.h"

#include <algorithm>
#include <limits>

namespace highwater {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr MapRow kUnaries[] = {
    {"aten.abs.default(Tensor self) -> Tensor", "abs(a)", kSame},
    {"aten.neg.default(Tensor self) -> Tensor", "-a", kSame},
    {"aten.exp.default(Tensor self) -> Tensor", "exp(a)"},
    {"aten.log.default(Tensor self) -> Tensor", "log(a)"},
    {"aten.log2.default(Tensor self) -> Tensor", "log2(a)"},
    {"aten.log10.default(Tensor self) -> Tensor", "log(a) * 0.4342944819032518"},
    {"aten.sqrt.default(Tensor self) -> Tensor", "sqrt(a)"},
    {"aten.rsqrt.default(Tensor self) -> Tensor", "inverseSqrt(a)"},
    {"aten.reciprocal.default(Tensor self) -> Tensor", "1.0 / a"},
    {"aten.sin.default(Tensor self) -> Tensor", "sin(a)"},
    {"aten.cos.default(Tensor self) -> Tensor", "cos(a)"},
    {"aten.tan.default(Tensor self) -> Tensor", "tan(a)"},
    {"aten.tanh.default(Tensor self) -> Tensor", "safe_tanh(a)"},
    {"aten.erf.default(Tensor self) -> Tensor", "error_function(a)"},
    {"aten.sigmoid.default(Tensor self) -> Tensor", "1.0 / (1.0 + exp(-a))"},
    {"aten.relu.default(Tensor self) -> Tensor", "max(a, vec4<T>())", kSame},
    {"aten.hardswish.default(Tensor self) -> Tensor",
     "a * clamp(a + 3.0, vec4<T>(), vec4<T>(6.0)) / 6.0"},
    {"aten.hardsigmoid.default(Tensor self) -> Tensor",
     "clamp(a + 3.0, vec4<T>(), vec4<T>(6.0)) / 6.0"},
    {"aten.hardtanh.default(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
     "clamp(a, p, q)", kSame},
    {.op = "aten.clamp.default(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
     .on_float = "min(max(a, p), q)",
     .on_int = kSame,
     .none = {-kInfinity, kInfinity}},
    {"aten.hardshrink.default(Tensor self, Scalar lambd=0.5) -> Tensor",
     "select(a, vec4<T>(), abs(a) <= p)"},
    {"aten.leaky_relu.default(Tensor self, Scalar negative_slope=0.01) -> Tensor",
     "select(p * a, a, a > vec4<T>())"},
    {"aten.round.default(Tensor self) -> Tensor", "round(a)", "a"},
    {"aten.floor.default(Tensor self) -> Tensor", "floor(a)", "a"},
    {"aten.ceil.default(Tensor self) -> Tensor", "ceil(a)", "a"},
    {"aten.trunc.default(Tensor self) -> Tensor", "trunc(a)", "a"},
    {"aten.sign.default(Tensor self) -> Tensor", "sign(a)", kSame},
    {"aten.logical_not.default(Tensor self) -> Tensor", "a == vec4<T>()", kSame},
    {"aten.bitwise_not.default(IntTensor self) -> Tensor", {}, "~a", "a == vec4<T>()"},
    {.op = "aten.gelu.default(Tensor self, *, str approximate=\"none\") -> Tensor",
     .on_float = "0.5 * a * (1.0 + error_function(a * 0.7071067811865476))",
     .when = "none"},
    {.op = "aten.gelu.default(Tensor self, *, str approximate=\"none\") -> Tensor",
     .on_float = "0.5 * a * (1.0 + safe_tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))",
     .when = "tanh"},
};

HIGHWATER_MAPS(Unary, kUnaries);

}  // namespace

const MapRow* find_unary(std::string_view op, std::string_view when) {
  const auto is_row = [&](const MapRow& row) { return row.op.name() == op && row.when == when; };
  const auto found = std::find_if(std::begin(kUnaries), std::end(kUnaries), is_row);
  return found == std::end(kUnaries) ? nullptr : found;
}

}  // namespace highwater
