// What the params of a kernel are made of. Their structs come from WGSL, by tools/embed_wgsl.py.
#pragma once

#include <cstdint>

#include "base/checked.h"

namespace highwater {

// The first member of every params struct, which nobody else can make. A list of values by position
// would have to begin with one, and so does not compile: params are set by name, and their order is
// for the WGSL to choose.
template <class Params>
class ByName {
  friend Params;
  explicit ByName() = default;
};

// Sizes as kernels take them. What does not fit 32 bits is more than any bound allows: the plan
// that it is part of will be refused.
constexpr uint32_t u32(int64_t size) {
  return static_cast<uint32_t>(size);
}

// How many quads hold so many elements.
constexpr uint32_t quads_of(int64_t elements) {
  return u32(ceil_div<int64_t>(elements, 4));
}

}  // namespace highwater
