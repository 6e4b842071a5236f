// How many lanes the kernels that hand x from lane to lane are made for.
#pragma once

#include "graph/traits.h"

namespace highwater {

// Those that divide the x of every tile. A GPU has no registers for such tiles.
inline uint32_t usable_lanes(const DeviceTraits& traits) {
  return traits.software && (traits.lanes == 4 || traits.lanes == 8) ? traits.lanes : 1;
}

}  // namespace highwater
