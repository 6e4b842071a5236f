// What a device and the environment decide before a program becomes a graph.
#pragma once

#include <string_view>

#include "blob/program.h"
#include "gpu/device.h"
#include "graph/traits.h"

namespace highwater {

// HIGHWATER_KERNELS overrides what the adapter says, so that either kind of kernel can be tried
// anywhere.
DeviceTraits traits_of(const gpu::Device& device);
// Those of a GPU about which nothing is known.
DeviceTraits traits_without_device();

// The passes. HIGHWATER_WITHOUT_PASSES and HIGHWATER_HALF_CACHE override what is given.
void rewrite(Program& program, std::string_view without_passes, bool half_cache);

}  // namespace highwater
