// The WebGPU implementation, found at run time: any library that speaks the standard webgpu.h.
#pragma once

#include <webgpu.h>

#include <string>

#include "highwater/result.h"

namespace highwater::gpu {

// Only entry points that wgpu-native implements: it aborts the process in the others.
#define HIGHWATER_WGPU_PROCS(X)           \
  X(AdapterGetInfo)                       \
  X(AdapterGetLimits)                     \
  X(AdapterHasFeature)                    \
  X(AdapterInfoFreeMembers)               \
  X(AdapterRelease)                       \
  X(AdapterRequestDevice)                 \
  X(BindGroupLayoutRelease)               \
  X(BindGroupRelease)                     \
  X(BufferGetConstMappedRange)            \
  X(BufferGetMappedRange)                 \
  X(BufferMapAsync)                       \
  X(BufferRelease)                        \
  X(BufferUnmap)                          \
  X(CommandBufferRelease)                 \
  X(CommandEncoderBeginComputePass)       \
  X(CommandEncoderCopyBufferToBuffer)     \
  X(CommandEncoderFinish)                 \
  X(CommandEncoderRelease)                \
  X(CommandEncoderResolveQuerySet)        \
  X(ComputePassEncoderDispatchWorkgroups) \
  X(ComputePassEncoderEnd)                \
  X(ComputePassEncoderRelease)            \
  X(ComputePassEncoderSetBindGroup)       \
  X(ComputePassEncoderSetPipeline)        \
  X(ComputePipelineRelease)               \
  X(CreateInstance)                       \
  X(DeviceCreateBindGroup)                \
  X(DeviceCreateBindGroupLayout)          \
  X(DeviceCreateBuffer)                   \
  X(DeviceCreateCommandEncoder)           \
  X(DeviceCreateComputePipeline)          \
  X(DeviceCreatePipelineLayout)           \
  X(DeviceCreateQuerySet)                 \
  X(DeviceCreateShaderModule)             \
  X(DeviceCreateTexture)                  \
  X(DeviceGetQueue)                       \
  X(DevicePopErrorScope)                  \
  X(DevicePushErrorScope)                 \
  X(DeviceRelease)                        \
  X(InstanceProcessEvents)                \
  X(InstanceRequestAdapter)               \
  X(PipelineLayoutRelease)                \
  X(QuerySetRelease)                      \
  X(QueueOnSubmittedWorkDone)             \
  X(QueueRelease)                         \
  X(QueueSubmit)                          \
  X(QueueWriteBuffer)                     \
  X(QueueWriteTexture)                    \
  X(ShaderModuleRelease)                  \
  X(TextureCreateView)                    \
  X(TextureRelease)                       \
  X(TextureViewRelease)

struct Api {
#define HIGHWATER_DECLARE_PROC(name) decltype(&::wgpu##name) name = nullptr;
  HIGHWATER_WGPU_PROCS(HIGHWATER_DECLARE_PROC)
#undef HIGHWATER_DECLARE_PROC

  // wgpu-native's own: lists every adapter. Null elsewhere.
  size_t (*InstanceEnumerateAdapters)(WGPUInstance, const void* options, WGPUAdapter*) = nullptr;
  // Its own as well: how many nanoseconds a timestamp counts. By the standard it is one.
  float (*QueueGetTimestampPeriod)(WGPUQueue) = nullptr;
  std::string library;
};

// Loads the implementation, once per process; platform/webgpu.h says which.
Result<const Api*> load_api();

// After load_api() has succeeded.
const Api& api();

inline WGPUStringView view(std::string_view s) {
  return {s.data(), s.size()};
}
inline std::string to_string(WGPUStringView s) {
  if (!s.data) return {};
  return s.length == WGPU_STRLEN ? std::string(s.data) : std::string(s.data, s.length);
}

}  // namespace highwater::gpu
