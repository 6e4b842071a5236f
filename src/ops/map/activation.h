// A function of one tensor as the end of a kernel of another family.
#pragma once

#include <optional>
#include <string>

#include "graph/op.h"

namespace highwater {

struct Activation {
  // WGSL: `activation(a)` of a vec4<f32>. The kernel has params.p and params.q, and T as f32.
  std::string lines;
  std::string name;  // in reports
  float p = 0;
  float q = 0;

  // As the op has it: `argument` is the name of a unary op, `approximate` its string argument,
  // and `p` and `q` are its numbers. If it `gates`, it is multiplied with what it is taken of: a
  // sigmoid makes a silu.
  static std::optional<Activation> read(Args& a, std::string_view argument);
  // No less than one of the op's arguments, and no more than the other.
  static Activation read_clamp(Args& a, std::string_view least, std::string_view most);
};

}  // namespace highwater
