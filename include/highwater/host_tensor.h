// Tensors as a caller hands them in: dtype, live dims and contiguous bytes on the host.
#pragma once

#include <variant>

#include "highwater/dims.h"
#include "highwater/dtype.h"

namespace highwater {

struct HostTensor {
  DType dtype = DType::Float32;
  Dims dims;
  const void* data = nullptr;

  size_t size_bytes() const { return static_cast<size_t>(dims.numel()) * byte_size(dtype); }
};

// A program's inputs are tensors and live scalars.
using HostInput = std::variant<HostTensor, int64_t>;

}  // namespace highwater
