#include <algorithm>
#include <limits>

#include "ops/map/elementwise.h"

namespace highwater {
namespace {

// One row an op: what it computes from the quad x, as WGSL. p and q are its number arguments 1 and
// 2, or these defaults where they are missing or null.
struct Row {
  std::string_view name;
  std::string_view on_float;
  std::string_view on_int = {};  // empty: ints are computed as floats
  double p = 0;
  double q = 0;
};

constexpr double kLowest = std::numeric_limits<double>::lowest();
constexpr double kHighest = std::numeric_limits<double>::max();

// Exact and by tanh, as the op's string argument says.
constexpr std::string_view kGelu = "0.5 * x * (1.0 + error_function(x * 0.7071067811865476))";
constexpr std::string_view kGeluTanh =
    "0.5 * x * (1.0 + safe_tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))";

constexpr Row kRows[] = {
    {"aten.abs.default", "abs(x)", "abs(x)"},
    {"aten.neg.default", "-x", "-x"},
    {"aten.exp.default", "exp(x)"},
    {"aten.log.default", "log(x)"},
    {"aten.log2.default", "log2(x)"},
    {"aten.log10.default", "log(x) * 0.4342944819032518"},
    {"aten.sqrt.default", "sqrt(x)"},
    {"aten.rsqrt.default", "inverseSqrt(x)"},
    {"aten.reciprocal.default", "1.0 / x"},
    {"aten.sin.default", "sin(x)"},
    {"aten.cos.default", "cos(x)"},
    {"aten.tan.default", "tan(x)"},
    {"aten.tanh.default", "safe_tanh(x)"},
    {"aten.erf.default", "error_function(x)"},
    {"aten.sigmoid.default", "1.0 / (1.0 + exp(-x))"},
    {"aten.relu.default", "max(x, vec4<T>())", "max(x, vec4<T>())"},
    {"aten.hardswish.default", "x * clamp(x + 3.0, vec4<T>(), vec4<T>(6.0)) / 6.0"},
    {"aten.hardsigmoid.default", "clamp(x + 3.0, vec4<T>(), vec4<T>(6.0)) / 6.0"},
    {"aten.hardtanh.default", "clamp(x, p, q)", "clamp(x, p, q)", -1, 1},
    {"aten.clamp.default", "min(max(x, p), q)", "min(max(x, p), q)", kLowest, kHighest},
    {"aten.hardshrink.default", "select(x, vec4<T>(), abs(x) <= p)", {}, 0.5},
    {"aten.leaky_relu.default", "select(p * x, x, x > vec4<T>())", {}, 0.01},
    {"aten.round.default", "round(x)", "x"},
    {"aten.floor.default", "floor(x)", "x"},
    {"aten.ceil.default", "ceil(x)", "x"},
    {"aten.trunc.default", "trunc(x)", "x"},
    {"aten.sign.default", "sign(x)", "sign(x)"},
    {"aten.logical_not.default", "x == vec4<T>()", "x == vec4<T>()"},
    {"aten.bitwise_not.default", {}, "~x"},
    {"aten.gelu.default", kGelu},
};

class Unary final : public Op {
 public:
  explicit Unary(Args& a) : x_(a.tensor(0)), y_(a.out(a.last())) {
    const Row row = row_for(a, a.dtype(x_));
    const bool on_float = is_float(a.dtype(x_)) || row.on_int.empty();
    const bool has_numbers = row.on_float != kGelu && row.on_float != kGeluTanh;
    const Elementwise::Numbers numbers{has_numbers && a.size() > 2 ? a.number_or(1, row.p) : row.p,
                                       has_numbers && a.size() > 3 ? a.number_or(2, row.q) : row.q};
    const size_t begin = row.name.find('.') + 1;
    function_ = Elementwise(a, y_, x_, on_float, on_float ? row.on_float : row.on_int,
                            row.name.substr(begin, row.name.rfind('.') - begin), numbers);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    plan.resize(y_, s[x_]);
    function_.plan(s[x_], plan);
    return {};
  }

 private:
  // The op's row, where need be as its other arguments say.
  static Row row_for(Args& a, DType type) {
    Row row = *std::find_if(std::begin(kRows), std::end(kRows),
                            [&](const Row& r) { return r.name == a.op(); });
    if (row.on_float == kGelu && a.size() > 2) {
      const std::string approximate = a.string(1);
      a.require(approximate == "none" || approximate == "tanh", "gelu's approximation '",
                approximate, "' is neither none nor tanh");
      if (approximate == "tanh") row.on_float = kGeluTanh;
    }
    if (row.on_float.empty()) a.require(!is_float(type), "it is not defined on floats");
    if (row.on_int == "~x" && type == DType::Bool) row.on_int = "x == vec4<T>()";
    return row;
  }

  Tensor x_;
  Tensor y_;
  Elementwise function_;
};

bool register_rows() {
  for (const Row& row : kRows) register_ops({row.name}, {&make_op<Unary>, {}});
  return true;
}

const bool registered = register_rows();

}  // namespace
}  // namespace highwater
