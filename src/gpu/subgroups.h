// For gpu/ only.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/device.h"

namespace highwater::gpu {

// The size of all subgroups, if neighbouring invocations share one; else 1.
uint32_t measure_subgroup_size(const std::shared_ptr<Device>& device);

}  // namespace highwater::gpu
