#include "gpu/executable.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unordered_set>

#include "base/checked.h"
#include "gpu/device_impl.h"

namespace highwater::gpu {
namespace {

constexpr WGPUBufferUsage kTensorUsage =
    WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

WGPUBufferUsage params_usage(const ExecutableSpec& spec) {
  return spec.params_in_storage ? WGPUBufferUsage_Storage : WGPUBufferUsage_Uniform;
}

// What each binding of a step is, from binding 0, the params, on.
std::vector<WGPUBufferBindingType> binding_types(const ExecutableSpec& spec, const StepSpec& step) {
  std::vector<WGPUBufferBindingType> types;
  if (step.params_size == 0) {
    types.push_back(WGPUBufferBindingType_BindingNotUsed);
  } else {
    types.push_back(spec.params_in_storage ? WGPUBufferBindingType_ReadOnlyStorage
                                           : WGPUBufferBindingType_Uniform);
  }
  for (const StepSpec::Binding& b : step.bindings) {
    types.push_back(b.writes ? WGPUBufferBindingType_Storage
                             : WGPUBufferBindingType_ReadOnlyStorage);
  }
  return types;
}

// Memory that is mapped at creation is staged by the implementation until the next submit. Handing
// it over in portions keeps a model from being in memory twice.
constexpr uint64_t kUploadPortion = 64ull << 20;

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
    HW_CHECK(make_buffers(spec, accounts));
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

  Status make_buffers(const ExecutableSpec& spec, Accounts& accounts) {
    uint64_t portion = 0;
    for (uint32_t i = 0; i < spec.buffers.size(); ++i) {
      const BufferSpec& b = spec.buffers[i];
      HW_TRY(BufferHandle buffer,
             device_.make_buffer(b.size, kTensorUsage, b.filled, "tensor", accounts));
      if (b.filled) {
        HW_TRY(const auto memory, mapped_memory(buffer.get(), b.size));
        Status filled = spec.fill(i, memory);
        api().BufferUnmap(buffer.get());
        HW_CHECK(std::move(filled));
        accounts.uploaded_bytes += b.size;
        portion += b.size;
      }
      buffers_.push_back(std::move(buffer));
      if (portion > kUploadPortion) {
        HW_CHECK(flush(accounts));
        portion = 0;
      }
    }
    const uint64_t params_size = std::max<uint64_t>(spec.params.size(), 16);
    HW_TRY(params_, device_.make_buffer(params_size, params_usage(spec) | WGPUBufferUsage_CopyDst,
                                        false, "params", accounts));
    if (spec.read_back_size > 0) {
      HW_TRY(read_back_, device_.make_buffer(spec.read_back_size,
                                             WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst,
                                             false, "read-back", accounts));
    }
    return flush(accounts);
  }

  static Result<std::span<std::byte>> mapped_memory(WGPUBuffer buffer, uint64_t size) {
    auto* memory = static_cast<std::byte*>(api().BufferGetMappedRange(buffer, 0, size));
    if (!memory) return fail("no memory for a buffer of ", size, " bytes");
    return std::span(memory, size);
  }

  Status flush(Accounts& accounts) {
    api().QueueSubmit(device_.queue(), 0, nullptr);
    accounts.submits += 1;
    return device_.wait_idle();
  }

  Status make_steps(const ExecutableSpec& spec, Accounts& accounts) {
    for (const StepSpec& step : spec.steps) {
      StepObjects objects;
      HW_TRY(objects.pipeline,
             device_.pipeline(step.wgsl, step.name, binding_types(spec, step), accounts));
      HW_TRY(objects.bindings, make_bindings(step, spec, *objects.pipeline, accounts));
      steps_.push_back(std::move(objects));
    }
    return {};
  }

  Result<BindGroupHandle> make_bindings(const StepSpec& step, const ExecutableSpec& spec,
                                        const Pipeline& pipeline, Accounts& accounts) {
    std::vector<WGPUBindGroupEntry> entries;
    const auto bind = [&](WGPUBuffer buffer, uint64_t offset, uint64_t size) {
      WGPUBindGroupEntry e = WGPU_BIND_GROUP_ENTRY_INIT;
      e.binding = static_cast<uint32_t>(entries.size() + (step.params_size ? 0 : 1));
      e.buffer = buffer;
      e.offset = offset;
      e.size = size;
      entries.push_back(e);
    };
    if (step.params_size) bind(params_.get(), step.params_at, step.params_size);
    const uint64_t limit = device_.adapter().limits.max_storage_binding_size;
    for (const StepSpec::Binding& b : step.bindings) {
      const uint64_t size = spec.buffers[b.buffer].size;
      if (size > limit) {
        return fail("kernel ", step.name, " binds a tensor of ", size, " bytes; adapter ",
                    device_.adapter().name, " allows at most ", limit);
      }
      bind(buffers_[b.buffer].get(), 0, size);
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
      api().QueueWriteBuffer(device_.queue(), buffers_[u.buffer].get(), 0, u.bytes.data(),
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
      api().CommandEncoderCopyBufferToBuffer(encoder.get(), buffers_[r.buffer].get(), 0,
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
  std::vector<BufferHandle> buffers_;
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
