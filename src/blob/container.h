// The VH00 container: a fixed header, a flatbuffer, and raw bytes.
#pragma once

#include <cstddef>
#include <span>

#include "highwater/result.h"

namespace highwater {

struct Container {
  std::span<const std::byte> flatbuffer;
  std::span<const std::byte> bytes;
};

Result<Container> open_container(std::span<const std::byte> blob);

}  // namespace highwater
