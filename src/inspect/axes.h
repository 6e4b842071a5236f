// Which numbers to try for each symbol.
#pragma once

#include <span>
#include <vector>

#include "inspect/survey.h"

namespace highwater {

// Every number of a short range; of a long one the ends, both sides of every border between two
// routes, and some in between.
std::vector<Axis> choose_axes(Probe& probe, std::span<const Symbol> symbols);

}  // namespace highwater
