// The table of functions of one tensor, for kernels of other families that end with one of them.
#pragma once

#include "ops/map/map_rows.h"

namespace highwater {

// The row of an op whose string argument, if it has one, is `when`. Null if there is none. Its
// expressions may call what functions.wgsl has.
const MapRow* find_unary(std::string_view op, std::string_view when = {});

}  // namespace highwater
