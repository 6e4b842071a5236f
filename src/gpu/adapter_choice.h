// Finding the adapter that a user asked for. For gpu/ only.
#pragma once

#include <string_view>

#include "gpu/adapters.h"
#include "gpu/handle.h"

namespace highwater::gpu {

struct Adapter {
  AdapterHandle handle;
  AdapterDescription description;
};

// The process's one instance.
Result<WGPUInstance> instance();

// `wanted` is a part of the adapter's name or its index in list_adapters(); empty takes the most
// capable kind.
Result<Adapter> choose_adapter(std::string_view wanted);

// Optional features that Highwater knows how to use.
struct KnownFeature {
  WGPUFeatureName feature;
  std::string_view name;
};
inline constexpr std::string_view kSubgroups = "subgroups";
// wgpu-native has a number of its own for what the standard calls subgroups, and its WGSL needs no
// `enable` for them.
inline constexpr auto kNativeSubgroups = static_cast<WGPUFeatureName>(0x00030021);
inline constexpr KnownFeature kKnownFeatures[] = {
    {WGPUFeatureName_ShaderF16, kShaderF16},
    {WGPUFeatureName_TimestampQuery, kTimestampQuery},
    {WGPUFeatureName_Subgroups, kSubgroups},
    {kNativeSubgroups, kSubgroups},
};

}  // namespace highwater::gpu
