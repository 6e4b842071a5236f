#include "ops/map/elementwise.h"

#include <algorithm>
#include <limits>

#include "ops/narrow.h"

namespace highwater {
namespace {

float to_float(double number) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(number, -kMax, kMax));
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
  plan.run(step_,
           {.quads = quads_of(dims.numel()),
            .p_float = to_float(numbers_.p),
            .q_float = to_float(numbers_.q),
            .p_int = narrow_to_int(numbers_.p),
            .q_int = narrow_to_int(numbers_.q)},
           Grid::quads(dims.numel()));
}

}  // namespace highwater
