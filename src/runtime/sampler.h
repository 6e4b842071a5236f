// A program that draws tokens itself.
#pragma once

#include <array>

#include "blob/program.h"
#include "highwater/generator.h"

namespace highwater {

// Whether tokens can be drawn so.
Status check_sampling(const Sampling& sampling);

// The inputs that add_sampler() puts after a program's own.
inline constexpr size_t kSamplerInputs = 5;
std::array<Input, kSamplerInputs> sampler_inputs(const Sampling& sampling, size_t draw);

// Adds a node that draws a token from the first output's last row, and the token as a last output,
// in the shape of the first input: it can be fed there.
Status add_sampler(Program& program);

}  // namespace highwater
