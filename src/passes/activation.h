// Functions of one tensor that kernels can end with.
#pragma once

#include "passes/rewriter.h"

namespace highwater {

struct ActivationCall {
  std::string_view op;
  std::vector<Named> others;  // arguments of the op that is to end with it, but its name
  ValueId x;
  ValueId y;
};

// Call i, if it is one. What it takes beside a tensor is written in the program.
std::optional<ActivationCall> as_activation(const Rewriter& r, size_t i);

}  // namespace highwater
