#pragma once

#include "blob/program.h"
#include "highwater/result.h"

namespace highwater {

// Whether every tensor and scalar is written before it is read, and once. Rewrites rely on it: they
// follow values to where they come from, and would not come back from a circle.
Status check_definitions(const Program& program);

}  // namespace highwater
