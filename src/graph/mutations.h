// Which values change after they were made.
#pragma once

#include <vector>

#include "blob/program.h"

namespace highwater {

// For each value, whether some op writes into it beyond its definition. A constant and what is
// prepacked of it are one: exporters let some ops read the one, and others write into the other.
std::vector<bool> mutated_values(const Program& program);

}  // namespace highwater
