#include "runtime/sampler.h"

#include <bit>
#include <cmath>

namespace highwater {
namespace {

// Logits over less than this are beyond what a float32 can hold. The likeliest token has all the
// probability long before.
constexpr float kCoolest = 1e-30f;

}  // namespace

Status check_sampling(const Sampling& sampling) {
  if (!(sampling.temperature >= 0.0f) || std::isinf(sampling.temperature)) {
    return fail("a temperature of ", sampling.temperature, "; it can be 0 or any number above");
  }
  if (sampling.top_k < 0) {
    return fail("top_k is ", sampling.top_k, "; it can be 0, for all tokens, or any number above");
  }
  if (!(sampling.top_p > 0.0f && sampling.top_p <= 1.0f)) {
    return fail("top_p is ", sampling.top_p, "; it can be above 0 and up to 1");
  }
  return {};
}

std::array<Input, kSamplerInputs> sampler_inputs(const Sampling& sampling, size_t draw) {
  const auto bits = [](float number) { return int64_t{std::bit_cast<uint32_t>(number)}; };
  const float temperature = sampling.temperature < kCoolest ? 0.0f : sampling.temperature;
  return {bits(temperature), sampling.top_k, bits(sampling.top_p),
          static_cast<int64_t>(sampling.seed), static_cast<int64_t>(draw)};
}

Status add_sampler(Program& program) {
  const auto is_tensor = [&](const std::vector<ValueId>& ids) {
    return !ids.empty() && std::holds_alternative<TensorDecl>(program.values[ids[0]]);
  };
  if (!is_tensor(program.inputs) || !is_tensor(program.outputs)) {
    return fail("its first input must be tokens, and its first output logits");
  }
  const auto add = [&](Value value) {
    program.values.push_back(std::move(value));
    return static_cast<ValueId>(program.values.size() - 1);
  };
  OpCall call{"highwater.sample.default", 0, {program.outputs[0]}};
  for (size_t i = 0; i < kSamplerInputs; ++i) {
    program.inputs.push_back(add(SymInt{}));
    call.args.push_back(program.inputs.back());
  }
  TensorDecl token;
  token.dtype = std::get<TensorDecl>(program.values[program.inputs[0]]).dtype;
  token.dims = {1, 1};
  program.outputs.push_back(add(token));
  call.args.push_back(program.outputs.back());
  program.calls.push_back(std::move(call));
  return {};
}

}  // namespace highwater
