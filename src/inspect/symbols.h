// Which dims and integers of a program's inputs are live.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "inspect/probe.h"

namespace highwater {

// What is known of an input from outside of the delegate's program.
struct InputFacts {
  // The smallest that the exporter says its dims can be, if it does. One that is as large as the
  // bound never changes.
  std::vector<int64_t> least;
  std::optional<int64_t> known;  // an integer that is the same in every call
};

// A file says how large a dim may become, and not whether it may be smaller. So it is tried: a dim
// is live if the planner takes it below its bound, alone or together with others of the same bound.
// An integer is live if the plan depends on it.
//
// Dims are called S, T, U, …; integers P, Q, R. An error means that the planner refuses the bounds.
Result<std::vector<Symbol>> find_symbols(Probe& probe, std::span<const InputFacts> facts);

}  // namespace highwater
