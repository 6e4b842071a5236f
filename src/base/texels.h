// Constants as images. A software adapter reads a texture several times faster than a buffer: it
// fetches the texels of neighbouring invocations together, and the words of a buffer one by one.
// They are storage textures, whose texels have no level of detail to be found first.
#pragma once

#include <cstdint>

#include "base/checked.h"

namespace highwater {

// What one texel holds. None: not an image but a buffer.
enum class Texels : uint8_t { None, Float4, Sint4, Uint4, Uint2, Uint1 };

constexpr uint64_t byte_size(Texels texels) {
  return texels == Texels::Uint1 ? 4 : texels == Texels::Uint2 ? 8 : 16;
}

// Texel i lies in column i % kImageWidth of row i / kImageWidth. WebGPU guarantees as many rows.
constexpr uint64_t kImageWidth = 4096;
constexpr uint64_t kMaxImageRows = 8192;

constexpr uint64_t image_rows(uint64_t bytes, Texels texels) {
  return ceil_div(bytes, kImageWidth * byte_size(texels));
}

}  // namespace highwater
