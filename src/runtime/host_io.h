// Elements on their way between the host's dtype and the device's.
#pragma once

#include <cstddef>
#include <span>

#include "highwater/dtype.h"
#include "highwater/result.h"

namespace highwater {

// Whether elements of `host` can be given for, or taken from, a tensor of `device` dtype.
bool convertible(DType host, DType device);

// Both throughout contiguous. An integer that does not fit 32 bits is an error.
Status to_device(DType host, std::span<const std::byte> from, DType device, std::span<std::byte> to,
                 size_t count);
void from_device(DType device, std::span<const std::byte> from, DType host, std::span<std::byte> to,
                 size_t count);

}  // namespace highwater
