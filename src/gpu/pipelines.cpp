#include <algorithm>

#include "gpu/device_impl.h"

namespace highwater::gpu {

Result<const Pipeline*> DeviceImpl::pipeline(const std::string& wgsl, std::string_view label,
                                             std::span<const WGPUBindGroupLayoutEntry> bindings,
                                             Accounts& accounts) {
  const auto found = pipelines_.find(wgsl);
  if (found != pipelines_.end()) return &found->second;
  auto made = make_pipeline(wgsl, label, bindings, accounts);
  if (!made) return made.take_error().within(text("kernel ", label));
  return &pipelines_.emplace(wgsl, *std::move(made)).first->second;
}

Result<Pipeline> DeviceImpl::make_pipeline(const std::string& wgsl, std::string_view label,
                                           std::span<const WGPUBindGroupLayoutEntry> bindings,
                                           Accounts& accounts) {
  ErrorScope scope(*this);
  const auto is_storage = [](const WGPUBindGroupLayoutEntry& e) {
    return e.buffer.type == WGPUBufferBindingType_Storage ||
           e.buffer.type == WGPUBufferBindingType_ReadOnlyStorage;
  };
  const auto storage_buffers = std::count_if(bindings.begin(), bindings.end(), is_storage);
  if (storage_buffers > static_cast<ptrdiff_t>(adapter_.limits.max_storage_buffers)) {
    return fail("it binds ", storage_buffers, " buffers; adapter ", adapter_.name, " allows ",
                adapter_.limits.max_storage_buffers);
  }
  WGPUBindGroupLayoutDescriptor group = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
  group.entryCount = bindings.size();
  group.entries = bindings.data();
  Pipeline result;
  result.layout = BindGroupLayoutHandle(api().DeviceCreateBindGroupLayout(device(), &group));

  const WGPUBindGroupLayout layouts[] = {result.layout.get()};
  WGPUPipelineLayoutDescriptor layout = WGPU_PIPELINE_LAYOUT_DESCRIPTOR_INIT;
  layout.bindGroupLayoutCount = 1;
  layout.bindGroupLayouts = layouts;
  const PipelineLayoutHandle pipeline_layout(api().DeviceCreatePipelineLayout(device(), &layout));

  WGPUShaderSourceWGSL source = WGPU_SHADER_SOURCE_WGSL_INIT;
  source.code = view(wgsl);
  WGPUShaderModuleDescriptor module = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  module.nextInChain = &source.chain;
  module.label = view(label);
  const ShaderModuleHandle shader(api().DeviceCreateShaderModule(device(), &module));

  WGPUComputePipelineDescriptor descriptor = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  descriptor.label = view(label);
  descriptor.layout = pipeline_layout.get();
  descriptor.compute.module = shader.get();
  descriptor.compute.entryPoint = view("main");
  result.pipeline = ComputePipelineHandle(api().DeviceCreateComputePipeline(device(), &descriptor));
  HW_CHECK(scope.finish());
  accounts.gpu_objects += 4;  // module, two layouts, pipeline
  return result;
}

}  // namespace highwater::gpu
