// Owning handles to WebGPU objects.
#pragma once

#include <utility>

#include "gpu/api.h"

namespace highwater::gpu {

template <class T, auto Release>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T object) : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (object_) (api().*Release)(object_);
  }

  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

using AdapterHandle = Handle<WGPUAdapter, &Api::AdapterRelease>;
using BindGroupHandle = Handle<WGPUBindGroup, &Api::BindGroupRelease>;
using BindGroupLayoutHandle = Handle<WGPUBindGroupLayout, &Api::BindGroupLayoutRelease>;
using BufferHandle = Handle<WGPUBuffer, &Api::BufferRelease>;
using CommandBufferHandle = Handle<WGPUCommandBuffer, &Api::CommandBufferRelease>;
using CommandEncoderHandle = Handle<WGPUCommandEncoder, &Api::CommandEncoderRelease>;
using ComputePassHandle = Handle<WGPUComputePassEncoder, &Api::ComputePassEncoderRelease>;
using ComputePipelineHandle = Handle<WGPUComputePipeline, &Api::ComputePipelineRelease>;
using DeviceHandle = Handle<WGPUDevice, &Api::DeviceRelease>;
using PipelineLayoutHandle = Handle<WGPUPipelineLayout, &Api::PipelineLayoutRelease>;
using QuerySetHandle = Handle<WGPUQuerySet, &Api::QuerySetRelease>;
using QueueHandle = Handle<WGPUQueue, &Api::QueueRelease>;
using ShaderModuleHandle = Handle<WGPUShaderModule, &Api::ShaderModuleRelease>;
using TextureHandle = Handle<WGPUTexture, &Api::TextureRelease>;
using TextureViewHandle = Handle<WGPUTextureView, &Api::TextureViewRelease>;

}  // namespace highwater::gpu
