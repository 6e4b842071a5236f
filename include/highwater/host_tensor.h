// What a caller hands to a program: tensors on the host, live scalars, and what is on the device
// already.
#pragma once

#include <variant>

#include "highwater/dims.h"
#include "highwater/dtype.h"

namespace highwater {

// Contiguous elements in the host's memory.
struct HostTensor {
  DType dtype = DType::Float32;
  Dims dims;
  const void* data = nullptr;

  size_t size_bytes() const { return static_cast<size_t>(dims.numel()) * byte_size(dtype); }
};

// What an output was in the call before, which then never leaves the device.
struct FromOutput {
  size_t output = 0;
};

// What somebody has put into the input's own buffer, in the dtype that it has on the device. For
// those who can reach that buffer, as a page can.
struct InPlace {
  Dims dims;
};

using Input = std::variant<HostTensor, int64_t, FromOutput, InPlace>;

}  // namespace highwater
