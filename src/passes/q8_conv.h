// Convolutions of int8 as passes see them.
#pragma once

#include "passes/rewriter.h"

namespace highwater {

struct Q8ConvCall {
  FullCall call;
  std::string_view ours;  // the op that does the same, and can do more
  bool is_depthwise;

  // All that it is given, which our op takes by the same names.
  std::vector<Named> arguments() const;
};

// Call i, if it is one: as programs have it, or ours.
std::optional<Q8ConvCall> as_q8_conv(const Rewriter& r, size_t i);

}  // namespace highwater
