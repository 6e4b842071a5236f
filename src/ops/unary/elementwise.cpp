#include "ops/unary/elementwise.h"

#include <algorithm>
#include <limits>

namespace highwater {
namespace {

float to_float(double number) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(number, -kMax, kMax));
}

int32_t to_int(double number) {
  return static_cast<int32_t>(std::clamp<double>(number, std::numeric_limits<int32_t>::min(),
                                                 std::numeric_limits<int32_t>::max()));
}

}  // namespace

Elementwise::Elementwise(Args& a, Tensor y, Tensor x, bool on_float, std::string_view expression,
                         std::string_view variant, Numbers numbers)
    : step_(a.step<wgsl::unary>({y, x},
                                {{"T", on_float ? "f32" : "i32"},
                                 {"T_NAME", on_float ? "float" : "int"},
                                 {"EXPRESSION", std::string(expression)}},
                                variant)),
      numbers_(numbers) {}

void Elementwise::plan(const Dims& dims, Plan& plan) const {
  const auto quads = static_cast<uint32_t>(ceil_div<int64_t>(dims.numel(), 4));
  plan.run(
      step_,
      {quads, to_float(numbers_.p), to_float(numbers_.q), to_int(numbers_.p), to_int(numbers_.q)},
      Grid::quads(dims.numel()));
}

}  // namespace highwater
