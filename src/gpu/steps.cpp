#include "gpu/steps.h"

#include <set>

namespace highwater::gpu {
namespace {

WGPUBindGroupLayoutEntry layout_entry(size_t binding) {
  WGPUBindGroupLayoutEntry e = WGPU_BIND_GROUP_LAYOUT_ENTRY_INIT;
  e.binding = static_cast<uint32_t>(binding);
  e.visibility = WGPUShaderStage_Compute;
  return e;
}

// What each binding of a step is. The params, if there are any, are binding 0.
std::vector<WGPUBindGroupLayoutEntry> layout_of(const ExecutableSpec& spec, const StepSpec& step) {
  std::vector<WGPUBindGroupLayoutEntry> entries;
  if (step.params_size) {
    entries.push_back(layout_entry(0));
    entries.back().buffer.type = spec.params_in_storage ? WGPUBufferBindingType_ReadOnlyStorage
                                                        : WGPUBufferBindingType_Uniform;
  }
  for (size_t i = 0; i < step.bindings.size(); ++i) {
    const StepSpec::Binding& b = step.bindings[i];
    const Texels texels = spec.buffers[b.buffer].texels;
    entries.push_back(layout_entry(i + 1));
    if (texels != Texels::None) {
      entries.back().storageTexture.access = WGPUStorageTextureAccess_ReadOnly;
      entries.back().storageTexture.format = format_of(texels);
      entries.back().storageTexture.viewDimension = WGPUTextureViewDimension_2D;
    } else {
      entries.back().buffer.type =
          b.writes ? WGPUBufferBindingType_Storage : WGPUBufferBindingType_ReadOnlyStorage;
    }
  }
  return entries;
}

Result<BindGroupHandle> make_bindings(WebGpuDevice& device, const ExecutableSpec& spec,
                                      const StepSpec& step, const Buffers& buffers,
                                      WGPUBuffer params, const Pipeline& pipeline,
                                      Accounts& accounts) {
  std::vector<WGPUBindGroupEntry> entries;
  const auto bind = [&](size_t binding) -> WGPUBindGroupEntry& {
    entries.push_back(WGPU_BIND_GROUP_ENTRY_INIT);
    entries.back().binding = static_cast<uint32_t>(binding);
    return entries.back();
  };
  if (step.params_size) {
    WGPUBindGroupEntry& e = bind(0);
    e.buffer = params;
    e.offset = step.params_at;
    e.size = step.params_size;
  }
  const uint64_t limit = device.adapter().limits.max_storage_binding_size;
  for (size_t i = 0; i < step.bindings.size(); ++i) {
    const StepSpec::Binding& b = step.bindings[i];
    WGPUBindGroupEntry& e = bind(i + 1);
    e.textureView = buffers.image(b.buffer);
    if (e.textureView) continue;
    e.buffer = buffers.buffer(b.buffer);
    e.offset = b.at;
    e.size = b.size ? b.size : spec.buffers[b.buffer].size - b.at;
    if (e.size > limit) {
      return fail("kernel ", step.name, " binds a tensor of ", e.size, " bytes; adapter ",
                  device.adapter().name, " allows at most ", limit);
    }
  }
  WGPUBindGroupDescriptor d = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  d.layout = pipeline.layout.get();
  d.entryCount = entries.size();
  d.entries = entries.data();
  accounts.gpu_objects += 1;
  return BindGroupHandle(api().DeviceCreateBindGroup(device.device(), &d));
}

}  // namespace

Status Steps::load_next(const Turns& turns, const ExecutableSpec& spec, const Buffers& buffers,
                        WGPUBuffer params, Answers& answers, Accounts& accounts) {
  steps_.resize(spec.steps.size());
  const size_t i = spec.order.empty() ? loaded_ : spec.order[loaded_];
  loaded_ += 1;
  const StepSpec& step = spec.steps[i];
  Step& made = steps_[i];
  return turns.take_checked(answers, [&]() -> Status {
    WebGpuDevice& device = turns.device();
    made.is_new = !device.has_pipeline(step.wgsl);
    HW_TRY(made.pipeline, device.pipeline(step.wgsl, step.name, layout_of(spec, step), accounts));
    // wgpu-native must not be given what is invalid; it has answered by now.
    HW_CHECK(made.pipeline->making->so_far());
    HW_TRY(made.bindings,
           make_bindings(device, spec, step, buffers, params, *made.pipeline, accounts));
    return {};
  });
}

void Steps::forget_new_pipelines(WebGpuDevice& device, const ExecutableSpec& spec) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].is_new) device.forget_pipeline(spec.steps[i].wgsl);
  }
}

void Steps::encode(WGPUCommandEncoder encoder, std::span<const Dispatch> dispatches,
                   Accounts& accounts) const {
  if (dispatches.empty()) return;
  const ComputePassHandle pass(api().CommandEncoderBeginComputePass(encoder, nullptr));
  const Pipeline* current = nullptr;
  for (const Dispatch& d : dispatches) {
    const Step& step = steps_[d.step];
    if (step.pipeline.get() != current) {
      current = step.pipeline.get();
      api().ComputePassEncoderSetPipeline(pass.get(), current->pipeline.get());
    }
    api().ComputePassEncoderSetBindGroup(pass.get(), 0, step.bindings.get(), 0, nullptr);
    api().ComputePassEncoderDispatchWorkgroups(pass.get(), d.x, d.y, 1);
    accounts.rounds += d.rounds;
  }
  api().ComputePassEncoderEnd(pass.get());
  accounts.passes += 1;
  accounts.dispatches += dispatches.size();
}

void Steps::encode_timed(WGPUCommandEncoder encoder, std::span<const Dispatch> dispatches,
                         Timestamps& timestamps, Accounts& accounts) const {
  for (const Dispatch& d : dispatches) {
    const Step& step = steps_[d.step];
    const WGPUPassTimestampWrites writes = timestamps.next();
    WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
    descriptor.timestampWrites = &writes;
    const ComputePassHandle pass(api().CommandEncoderBeginComputePass(encoder, &descriptor));
    api().ComputePassEncoderSetPipeline(pass.get(), step.pipeline->pipeline.get());
    api().ComputePassEncoderSetBindGroup(pass.get(), 0, step.bindings.get(), 0, nullptr);
    api().ComputePassEncoderDispatchWorkgroups(pass.get(), d.x, d.y, 1);
    api().ComputePassEncoderEnd(pass.get());
    accounts.rounds += d.rounds;
  }
  accounts.passes += dispatches.size();
  accounts.dispatches += dispatches.size();
}

Result<bool> Steps::is_made(Step& step) {
  if (step.is_made) return true;
  HW_CHECK(step.pipeline->making->so_far());
  step.is_made = step.pipeline->is_made();
  return step.is_made;
}

Result<bool> Steps::are_made() {
  bool all = true;
  for (Step& step : steps_) {
    HW_TRY(const bool made, is_made(step));
    all = all && made;
  }
  return all;
}

Result<bool> Steps::are_made(std::span<const Dispatch> dispatches) {
  bool all = true;
  for (const Dispatch& d : dispatches) {
    HW_TRY(const bool made, is_made(steps_[d.step]));
    all = all && made;
  }
  return all;
}

std::vector<uint32_t> Steps::one_for_each_pipeline() const {
  std::vector<uint32_t> result;
  std::set<const Pipeline*> seen;
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    const Pipeline* pipeline = steps_[i].pipeline.get();
    if (pipeline->is_made() && seen.insert(pipeline).second) result.push_back(i);
  }
  return result;
}

}  // namespace highwater::gpu
