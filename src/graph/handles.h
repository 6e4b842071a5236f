// What an op holds instead of buffers: typed names of values.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "blob/program.h"

namespace highwater {

constexpr ValueId kNoValue = std::numeric_limits<ValueId>::max();

struct Tensor {
  ValueId id = kNoValue;
};

// An integer that is known only when the program runs (a SymInt).
struct Scalar {
  ValueId id = kNoValue;
};

// An integer argument: written in the program, or a live scalar.
struct LiveInt {
  int64_t literal = 0;
  ValueId scalar = kNoValue;

  bool is_live() const { return scalar != kNoValue; }
};

using LiveInts = std::vector<LiveInt>;

constexpr uint32_t kNoStep = std::numeric_limits<uint32_t>::max();

// A step that an op declared for kernel K: a compiled pipeline with its bindings. plan() picks
// among them; it cannot make new ones. One that was not declared is none, and is refused when run.
template <class K>
struct Step {
  uint32_t id = kNoStep;

  bool is_declared() const { return id != kNoStep; }
};

}  // namespace highwater
