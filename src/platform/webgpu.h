// Where the WebGPU implementation comes from.
#pragma once

#include "gpu/api.h"

namespace highwater::gpu {

// Natively a library, loaded at run time: the one that HIGHWATER_WEBGPU names, else the wgpu-native
// that was installed beside this one. On the web the page itself, which serves our imports.
Result<Api> open_webgpu();

}  // namespace highwater::gpu
