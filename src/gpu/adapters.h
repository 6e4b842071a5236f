// The adapters of this machine, and the choice among them. Free of WebGPU types.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "highwater/result.h"

namespace highwater::gpu {

struct Limits {
  uint64_t max_buffer_size = 0;
  uint64_t max_storage_binding_size = 0;
  uint32_t max_storage_buffers = 0;
  uint32_t max_invocations_per_workgroup = 0;
  uint32_t max_workgroup_memory = 0;
};

inline constexpr std::string_view kShaderF16 = "shader-f16";
inline constexpr std::string_view kTimestampQuery = "timestamp-query";

struct AdapterDescription {
  std::string name;     // "llvmpipe (LLVM 15.0.6, 256 bits)"
  std::string driver;   // what the implementation says about the driver
  std::string type;     // "discrete GPU", "integrated GPU", "CPU", "unknown"
  std::string backend;  // "Vulkan", "Metal", …
  std::vector<std::string> features;
  bool has(std::string_view feature) const {
    return std::find(features.begin(), features.end(), feature) != features.end();
  }
  bool subgroups_must_be_enabled = false;  // by a line in the shader that uses them
  Limits limits;
};

// In the order of the implementation; the index is one way to choose.
Result<std::vector<AdapterDescription>> list_adapters();

}  // namespace highwater::gpu
