#include "gpu/executable.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unordered_set>

#include "base/checked.h"
#include "gpu/device_impl.h"
#include "gpu/memory.h"

namespace highwater::gpu {
namespace {

WGPUBufferUsage params_usage(const ExecutableSpec& spec) {
  return spec.params_in_storage ? WGPUBufferUsage_Storage : WGPUBufferUsage_Uniform;
}

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
      entries.back().texture.sampleType = sample_type(texels);
      entries.back().texture.viewDimension = WGPUTextureViewDimension_2D;
    } else {
      entries.back().buffer.type =
          b.writes ? WGPUBufferBindingType_Storage : WGPUBufferBindingType_ReadOnlyStorage;
    }
  }
  return entries;
}

}  // namespace

class Executable::Objects {
 public:
  explicit Objects(DeviceImpl& device) : device_(device) {}
  ~Objects() {
    unmap();
    // After a time-out the callback may still come.
    if (!mapping_->done) (void)mapping_.release();
  }

  Status load(const ExecutableSpec& spec, Accounts& accounts) {
    ErrorScope scope(device_);
    HW_CHECK(memory_.load(device_, spec, accounts));
    HW_CHECK(make_own_buffers(spec, accounts));
    HW_CHECK(make_steps(spec, accounts));
    HW_CHECK(warm_up(accounts));
    write({}, {0, spec.params}, accounts);
    return scope.finish();
  }

  Status run(std::span<const Upload> uploads, ParamsWrite params,
             std::span<const Dispatch> dispatches, std::span<const ReadBack> read_backs,
             Accounts& accounts) {
    HW_CHECK(device_.faults().take());
    unmap();
    ErrorScope scope(device_);
    write(uploads, params, accounts);
    const CommandBufferHandle commands = encode(dispatches, read_backs, accounts);
    // An invalid command buffer must not reach the queue: wgpu-native aborts on it.
    HW_CHECK(scope.finish());
    return submit(commands.get(), accounts);
  }

  std::span<const std::byte> result(size_t i) const {
    return {static_cast<const std::byte*>(mapped_) + results_[i].begin, results_[i].size};
  }

 private:
  struct StepObjects {
    const Pipeline* pipeline = nullptr;
    BindGroupHandle bindings;
  };
  struct Chunk {
    uint64_t begin;
    uint64_t size;
  };
  struct Mapping {
    std::atomic<bool> done{true};
    bool ok = false;
    std::string message;
  };

  Status make_own_buffers(const ExecutableSpec& spec, Accounts& accounts) {
    const uint64_t params_size = std::max<uint64_t>(spec.params.size(), 16);
    HW_TRY(params_, device_.make_buffer(params_size, params_usage(spec) | WGPUBufferUsage_CopyDst,
                                        false, "params", accounts));
    if (spec.read_back_size > 0) {
      HW_TRY(read_back_, device_.make_buffer(spec.read_back_size,
                                             WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst,
                                             false, "read-back", accounts));
    }
    return {};
  }

  Status make_steps(const ExecutableSpec& spec, Accounts& accounts) {
    for (const StepSpec& step : spec.steps) {
      StepObjects objects;
      HW_TRY(objects.pipeline,
             device_.pipeline(step.wgsl, step.name, layout_of(spec, step), accounts));
      HW_TRY(objects.bindings, make_bindings(step, spec, *objects.pipeline, accounts));
      steps_.push_back(std::move(objects));
    }
    return {};
  }

  Result<BindGroupHandle> make_bindings(const StepSpec& step, const ExecutableSpec& spec,
                                        const Pipeline& pipeline, Accounts& accounts) {
    std::vector<WGPUBindGroupEntry> entries;
    const auto bind = [&](size_t binding) -> WGPUBindGroupEntry& {
      entries.push_back(WGPU_BIND_GROUP_ENTRY_INIT);
      entries.back().binding = static_cast<uint32_t>(binding);
      return entries.back();
    };
    if (step.params_size) {
      WGPUBindGroupEntry& e = bind(0);
      e.buffer = params_.get();
      e.offset = step.params_at;
      e.size = step.params_size;
    }
    const uint64_t limit = device_.adapter().limits.max_storage_binding_size;
    for (size_t i = 0; i < step.bindings.size(); ++i) {
      const uint32_t place = step.bindings[i].buffer;
      WGPUBindGroupEntry& e = bind(i + 1);
      e.textureView = memory_.image(place);
      if (e.textureView) continue;
      e.buffer = memory_.buffer(place);
      e.size = spec.buffers[place].size;
      if (e.size > limit) {
        return fail("kernel ", step.name, " binds a tensor of ", e.size, " bytes; adapter ",
                    device_.adapter().name, " allows at most ", limit);
      }
    }
    WGPUBindGroupDescriptor d = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
    d.layout = pipeline.layout.get();
    d.entryCount = entries.size();
    d.entries = entries.data();
    accounts.gpu_objects += 1;
    return BindGroupHandle(api().DeviceCreateBindGroup(device_.device(), &d));
  }

  // Drivers may compile a pipeline when it first runs, and that should not be in the middle of a
  // user's work. Buffers begin as zeros, and with params of zero every kernel returns at once.
  Status warm_up(Accounts& accounts) {
    std::vector<Dispatch> dispatches;
    std::unordered_set<const Pipeline*> seen;
    for (uint32_t i = 0; i < steps_.size(); ++i) {
      if (seen.insert(steps_[i].pipeline).second) dispatches.push_back({i, 1, 1});
    }
    if (dispatches.empty()) return {};
    ErrorScope scope(device_);
    const CommandBufferHandle commands = encode(dispatches, {}, accounts);
    HW_CHECK(scope.finish());
    return submit(commands.get(), accounts);
  }

  void write(std::span<const Upload> uploads, ParamsWrite params, Accounts& accounts) {
    for (const Upload& u : uploads) {
      if (u.bytes.empty()) continue;
      api().QueueWriteBuffer(device_.queue(), memory_.buffer(u.buffer), 0, u.bytes.data(),
                             u.bytes.size());
      accounts.uploaded_bytes += u.bytes.size();
    }
    if (params.bytes.empty()) return;
    api().QueueWriteBuffer(device_.queue(), params_.get(), params.at, params.bytes.data(),
                           params.bytes.size());
    accounts.params_writes += 1;
    accounts.params_bytes += params.bytes.size();
  }

  CommandBufferHandle encode(std::span<const Dispatch> dispatches,
                             std::span<const ReadBack> read_backs, Accounts& accounts) {
    const CommandEncoderHandle encoder(api().DeviceCreateCommandEncoder(device_.device(), nullptr));
    if (!dispatches.empty()) encode_pass(encoder.get(), dispatches, accounts);
    results_.clear();
    read_back_used_ = 0;
    for (const ReadBack& r : read_backs) {
      results_.push_back({read_back_used_, r.size});
      if (r.size == 0) continue;
      api().CommandEncoderCopyBufferToBuffer(encoder.get(), memory_.buffer(r.buffer), 0,
                                             read_back_.get(), read_back_used_, r.size);
      read_back_used_ += round_up(r.size, kReadBackAlignment);
      accounts.read_back_bytes += r.size;
    }
    return CommandBufferHandle(api().CommandEncoderFinish(encoder.get(), nullptr));
  }

  void encode_pass(WGPUCommandEncoder encoder, std::span<const Dispatch> dispatches,
                   Accounts& accounts) {
    const ComputePassHandle pass(api().CommandEncoderBeginComputePass(encoder, nullptr));
    const Pipeline* current = nullptr;
    for (const Dispatch& d : dispatches) {
      const StepObjects& step = steps_[d.step];
      if (step.pipeline != current) {
        current = step.pipeline;
        api().ComputePassEncoderSetPipeline(pass.get(), current->pipeline.get());
      }
      api().ComputePassEncoderSetBindGroup(pass.get(), 0, step.bindings.get(), 0, nullptr);
      api().ComputePassEncoderDispatchWorkgroups(pass.get(), d.x, d.y, 1);
    }
    api().ComputePassEncoderEnd(pass.get());
    accounts.passes += 1;
    accounts.dispatches += dispatches.size();
  }

  Status submit(WGPUCommandBuffer commands, Accounts& accounts) {
    ErrorScope scope(device_);
    api().QueueSubmit(device_.queue(), 1, &commands);
    accounts.submits += 1;
    Status finished = read_back_used_ > 0 ? map() : device_.wait_idle();
    HW_CHECK(scope.finish());
    return finished;
  }

  Status map() {
    mapping_->done = false;
    mapping_->ok = false;
    WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    callback.mode = WGPUCallbackMode_AllowProcessEvents;
    callback.userdata1 = mapping_.get();
    callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView message, void* out, void*) {
      auto* mapping = static_cast<Mapping*>(out);
      mapping->ok = status == WGPUMapAsyncStatus_Success;
      if (!mapping->ok) mapping->message = to_string(message);
      mapping->done.store(true, std::memory_order_release);
    };
    api().BufferMapAsync(read_back_.get(), WGPUMapMode_Read, 0, read_back_used_, callback);
    HW_CHECK(device_.wait(mapping_->done, "a run"));
    if (!mapping_->ok) return fail("reading back: ", mapping_->message);
    mapped_ = api().BufferGetConstMappedRange(read_back_.get(), 0, read_back_used_);
    if (!mapped_) return fail("reading back: the buffer is not mapped");
    return {};
  }

  void unmap() {
    if (!mapped_) return;
    api().BufferUnmap(read_back_.get());
    mapped_ = nullptr;
  }

  DeviceImpl& device_;
  Memory memory_;
  BufferHandle params_;
  BufferHandle read_back_;
  std::vector<StepObjects> steps_;
  std::vector<Chunk> results_;
  uint64_t read_back_used_ = 0;
  const void* mapped_ = nullptr;
  std::unique_ptr<Mapping> mapping_ = std::make_unique<Mapping>();
};

Executable::Executable(std::shared_ptr<Device> device)
    : device_(std::move(device)), objects_(std::make_unique<Objects>(device_->impl())) {}

Executable::~Executable() {
  const std::lock_guard lock(device_->impl().mutex());
  objects_.reset();
}

Result<std::unique_ptr<Executable>> Executable::create(std::shared_ptr<Device> device,
                                                       const ExecutableSpec& spec,
                                                       Accounts& accounts) {
  std::unique_ptr<Executable> result(new Executable(std::move(device)));
  Status loaded;
  {
    // Not for longer: the destructor takes it too.
    const std::lock_guard lock(result->device_->impl().mutex());
    loaded = result->objects_->load(spec, accounts);
  }
  HW_CHECK(std::move(loaded));
  return result;
}

Status Executable::run(std::span<const Upload> uploads, ParamsWrite params,
                       std::span<const Dispatch> dispatches, std::span<const ReadBack> read_backs,
                       Accounts& accounts) {
  const std::lock_guard lock(device_->impl().mutex());
  return objects_->run(uploads, params, dispatches, read_backs, accounts);
}

std::span<const std::byte> Executable::result(size_t i) const {
  return objects_->result(i);
}

}  // namespace highwater::gpu
