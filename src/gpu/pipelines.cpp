#include <algorithm>

#include "gpu/turns.h"

namespace highwater::gpu {

Result<std::shared_ptr<const Pipeline>> WebGpuDevice::pipeline(
    const std::string& wgsl, std::string_view label,
    std::span<const WGPUBindGroupLayoutEntry> bindings, Accounts& accounts) {
  std::shared_ptr<const Pipeline>& kept = pipelines_[wgsl];
  if (!kept || !kept->making->so_far()) {
    kept.reset();
    HW_TRY(Pipeline made, make_pipeline(wgsl, label, bindings, accounts));
    kept = std::make_shared<const Pipeline>(std::move(made));
  }
  return kept;
}

Result<Pipeline> WebGpuDevice::make_pipeline(const std::string& wgsl, std::string_view label,
                                             std::span<const WGPUBindGroupLayoutEntry> bindings,
                                             Accounts& accounts) {
  const auto is_storage = [](const WGPUBindGroupLayoutEntry& e) {
    return e.buffer.type == WGPUBufferBindingType_Storage ||
           e.buffer.type == WGPUBufferBindingType_ReadOnlyStorage;
  };
  const auto storage_buffers = std::count_if(bindings.begin(), bindings.end(), is_storage);
  if (storage_buffers > static_cast<ptrdiff_t>(adapter_.limits.max_storage_buffers)) {
    return fail("kernel ", label, ": it binds ", storage_buffers, " buffers; adapter ",
                adapter_.name, " allows ", adapter_.limits.max_storage_buffers);
  }
  Pipeline result;
  const ErrorScope scope(*this, *result.making, text("kernel ", label));
  WGPUBindGroupLayoutDescriptor group = WGPU_BIND_GROUP_LAYOUT_DESCRIPTOR_INIT;
  group.entryCount = bindings.size();
  group.entries = bindings.data();
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
  accounts.gpu_objects += 4;  // module, two layouts, pipeline
  return result;
}

}  // namespace highwater::gpu
