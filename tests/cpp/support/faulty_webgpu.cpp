#include "support/faulty_webgpu.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "gpu/device.h"
#include "gpu/webgpu_device.h"
#include "support/expect.h"

namespace highwater::gpu {
namespace {

FaultyWebGpu* the = nullptr;

// The one table of the process. It is not constant but for those who call through it.
Api& table() {
  const auto loaded = load_api();
  if (!loaded) give_up(loaded.error());
  return const_cast<Api&>(**loaded);
}

}  // namespace

// What stands in the table instead of the implementation's functions.
struct Hooks {
  template <auto Member, class Object, class... Args>
  static Object create(Args... args) {
    const bool now = the->fails_now();
    Object made = (the->real_.*Member)(args...);
    the->objects_ += made != nullptr;
    if (the->fails_by(now, {Failure::Invalid, Failure::OutOfMemory, Failure::Lost})) {
      the->raise_fault();
      the->bad_.insert(made);
    }
    return made;
  }

  static WGPUBuffer create_buffer(WGPUDevice device, const WGPUBufferDescriptor* descriptor) {
    if (the->is(Failure::Null) && the->fails_by(the->fails_now(), {Failure::Null})) {
      the->raise(WGPUErrorType_OutOfMemory);
      return nullptr;
    }
    return create<&Api::DeviceCreateBuffer, WGPUBuffer>(device, descriptor);
  }

  template <auto Member, class Object>
  static void release(Object object) {
    the->objects_ -= 1;
    the->bad_.erase(object);
    (the->real_.*Member)(object);
  }

  // Whatever is done with the arguments, none of them may be bad. What a queue is asked for and
  // refuses has no effect. What an encoder refuses spoils its commands, which are real here.
  template <auto Member, class First, class... Rest>
  static void use(First first, Rest... rest) {
    const bool now = the->fails_now();
    check(first);
    (check(rest), ...);
    const bool fails = the->fails_by(now, {Failure::Invalid, Failure::OutOfMemory, Failure::Lost});
    if (fails) the->raise_fault();
    if (!fails || !std::is_same_v<First, WGPUQueue>) (the->real_.*Member)(first, rest...);
  }
  template <class Arg>
  static void check(Arg arg) {
    if constexpr (std::is_pointer_v<Arg>) the->check(arg);
  }

  static WGPUBindGroup bind(WGPUDevice device, const WGPUBindGroupDescriptor* d) {
    the->check(d->layout);
    for (size_t i = 0; i < d->entryCount; ++i) {
      the->check(d->entries[i].buffer);
      the->check(d->entries[i].textureView);
    }
    return create<&Api::DeviceCreateBindGroup, WGPUBindGroup>(device, d);
  }

  static void submit(WGPUQueue queue, size_t count, const WGPUCommandBuffer* commands) {
    for (size_t i = 0; i < count; ++i) the->check(commands[i]);
    use<&Api::QueueSubmit>(queue, count, commands);
  }

  static void push(WGPUDevice device, WGPUErrorFilter filter) {
    the->scopes_.push_back({filter});
    the->real_.DevicePushErrorScope(device, filter);
  }

  static WGPUFuture pop(WGPUDevice device, WGPUPopErrorScopeCallbackInfo info) {
    const bool now = the->fails_now();
    if (the->fails_by(now, {Failure::Invalid, Failure::OutOfMemory, Failure::Lost})) {
      the->raise_fault();
    }
    const std::optional<WGPUErrorType> error = the->scopes_.back().error;
    the->scopes_.pop_back();
    // wgpu-native answers before it returns.
    struct Told {
      WGPUErrorType type = WGPUErrorType_NoError;
      std::string message;
    } told;
    WGPUPopErrorScopeCallbackInfo real = info;
    real.userdata1 = &told;
    real.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType type, WGPUStringView message,
                       void* out, void*) { *static_cast<Told*>(out) = {type, to_string(message)}; };
    const WGPUFuture future = the->real_.DevicePopErrorScope(device, real);
    if (error) told = {*error, FaultyWebGpu::kMessage};
    if (the->fails_by(now, {Failure::Silent})) return future;
    the->answer([info, told] {
      info.callback(WGPUPopErrorScopeStatus_Success, told.type, view(told.message), info.userdata1,
                    info.userdata2);
    });
    return future;
  }

  static WGPUFuture map(WGPUBuffer buffer, WGPUMapMode mode, size_t offset, size_t size,
                        WGPUBufferMapCallbackInfo info) {
    const bool now = the->fails_now();
    the->check(buffer);
    if (the->fails_by(now, {Failure::Silent})) return {};
    const bool fails = the->fails_by(now, {Failure::Invalid, Failure::OutOfMemory, Failure::Lost});
    if (fails) the->raise_fault();
    if (!fails && !the->is_lost_ && !the->bad_.contains(buffer)) {
      return the->real_.BufferMapAsync(buffer, mode, offset, size, info);
    }
    the->answer([info] {
      info.callback(WGPUMapAsyncStatus_Error, view(FaultyWebGpu::kMessage), info.userdata1,
                    info.userdata2);
    });
    return {};
  }

  static WGPUFuture when_done(WGPUQueue queue, WGPUQueueWorkDoneCallbackInfo info) {
    const bool now = the->fails_now();
    if (the->fails_by(now, {Failure::Silent})) return {};
    if (the->fails_by(now, {Failure::Lost})) the->raise_fault();
    return the->real_.QueueOnSubmittedWorkDone(queue, info);
  }

  static WGPUFuture request_device(WGPUAdapter adapter, const WGPUDeviceDescriptor* descriptor,
                                   WGPURequestDeviceCallbackInfo info) {
    const bool now = the->fails_now();
    if (the->fails_by(now, {Failure::Silent})) {
      // wgpu-native answers before it returns.
      WGPUDevice came = nullptr;
      WGPURequestDeviceCallbackInfo real = info;
      real.userdata1 = &came;
      real.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView, void* out,
                         void*) { *static_cast<WGPUDevice*>(out) = device; };
      the->real_.AdapterRequestDevice(adapter, descriptor, real);
      the->belated_.push_back([came, info] {
        the->objects_ += 1;
        info.callback(WGPURequestDeviceStatus_Success, came, view(""), info.userdata1,
                      info.userdata2);
      });
      return {};
    }
    if (the->fails_by(now, {Failure::Invalid, Failure::OutOfMemory})) {
      info.callback(WGPURequestDeviceStatus_Error, nullptr, view(FaultyWebGpu::kMessage),
                    info.userdata1, info.userdata2);
      return {};
    }
    the->is_lost_ = false;
    the->listeners_.push_back(
        {descriptor->deviceLostCallbackInfo, descriptor->uncapturedErrorCallbackInfo});
    the->objects_ += 1;
    const WGPUFuture future = the->real_.AdapterRequestDevice(adapter, descriptor, info);
    if (the->fails_by(now, {Failure::Lost})) the->raise_fault();
    return future;
  }

  static WGPUQueue get_queue(WGPUDevice device) {
    the->objects_ += 1;
    return the->real_.DeviceGetQueue(device);
  }

  static void process_events(WGPUInstance instance) {
    the->real_.InstanceProcessEvents(instance);
    the->tell_late_answers();
  }

  template <auto Member, class Object, class... Args>
  static void hook_creation(Api& api, Object (*Api::*)(Args...)) {
    api.*Member = &create<Member, Object, Args...>;
  }
  template <auto Member, class Object>
  static void hook_release(Api& api, void (*Api::*)(Object)) {
    api.*Member = &release<Member, Object>;
  }
  template <auto Member, class... Args>
  static void hook_use(Api& api, void (*Api::*)(Args...)) {
    api.*Member = &use<Member, Args...>;
  }

  static void hook_all(Api& api) {
#define HOOK(kind, name) hook_##kind<&Api::name>(api, &Api::name)
    HOOK(creation, DeviceCreateBindGroupLayout);
    HOOK(creation, DeviceCreatePipelineLayout);
    HOOK(creation, DeviceCreateShaderModule);
    HOOK(creation, DeviceCreateComputePipeline);
    HOOK(creation, DeviceCreateTexture);
    HOOK(creation, TextureCreateView);
    HOOK(creation, DeviceCreateQuerySet);
    HOOK(creation, DeviceCreateCommandEncoder);
    HOOK(creation, CommandEncoderBeginComputePass);
    HOOK(creation, CommandEncoderFinish);
    HOOK(release, BindGroupLayoutRelease);
    HOOK(release, BindGroupRelease);
    HOOK(release, BufferRelease);
    HOOK(release, CommandBufferRelease);
    HOOK(release, CommandEncoderRelease);
    HOOK(release, ComputePassEncoderRelease);
    HOOK(release, ComputePipelineRelease);
    HOOK(release, DeviceRelease);
    HOOK(release, PipelineLayoutRelease);
    HOOK(release, QuerySetRelease);
    HOOK(release, QueueRelease);
    HOOK(release, ShaderModuleRelease);
    HOOK(release, TextureRelease);
    HOOK(release, TextureViewRelease);
    HOOK(use, CommandEncoderCopyBufferToBuffer);
    HOOK(use, QueueWriteBuffer);
    HOOK(use, QueueWriteTexture);
    HOOK(use, ComputePassEncoderSetPipeline);
#undef HOOK
    api.DeviceCreateBuffer = &create_buffer;
    api.DeviceCreateBindGroup = &bind;
    api.QueueSubmit = &submit;
    api.DevicePushErrorScope = &push;
    api.DevicePopErrorScope = &pop;
    api.BufferMapAsync = &map;
    api.QueueOnSubmittedWorkDone = &when_done;
    api.AdapterRequestDevice = &request_device;
    api.DeviceGetQueue = &get_queue;
    api.InstanceProcessEvents = &process_events;
  }
};

FaultyWebGpu::FaultyWebGpu(Answering answering)
    : real_(table()), table_(table()), answering_(answering) {
  // One that was opened before would not be ours to lose.
  const auto before = Device::open();
  if (!before) give_up(before.error());
  (*before)->webgpu().faults().lost("a test wants another");
  the = this;
  Hooks::hook_all(table_);
}

FaultyWebGpu::~FaultyWebGpu() {
  tell_late_answers();
  give_belated_devices();
  // What was made before must not be used by those who do not know.
  lose_devices();
  table_ = real_;
  the = nullptr;
}

void FaultyWebGpu::arm(const Fault& fault) {
  fault_ = fault;
  has_failed_ = false;
  calls_ = 0;
}

bool FaultyWebGpu::disarm() {
  fault_.reset();
  return has_failed_;
}

void FaultyWebGpu::lose_devices() {
  is_lost_ = true;
  for (const Listener& l : std::exchange(listeners_, {})) {
    l.lost.callback(nullptr, WGPUDeviceLostReason_Unknown, view(kMessage), l.lost.userdata1,
                    l.lost.userdata2);
  }
}

size_t FaultyWebGpu::give_belated_devices() {
  const auto belated = std::exchange(belated_, {});
  for (const auto& give : belated) give();
  return belated.size();
}

bool FaultyWebGpu::fails_now() {
  return fault_ && !has_failed_ && calls_++ == fault_->call;
}

bool FaultyWebGpu::fails_by(bool now, std::initializer_list<Failure> failures) {
  const bool fails = now && std::any_of(failures.begin(), failures.end(),
                                        [&](Failure failure) { return is(failure); });
  has_failed_ |= fails;
  return fails;
}

void FaultyWebGpu::raise_fault() {
  if (is(Failure::Lost)) return lose_devices();
  raise(is(Failure::Invalid) ? WGPUErrorType_Validation : WGPUErrorType_OutOfMemory);
}

// To the innermost scope that wants it; an error outside of any is told to the device's user.
void FaultyWebGpu::raise(WGPUErrorType type) {
  const auto wanted =
      type == WGPUErrorType_Validation ? WGPUErrorFilter_Validation : WGPUErrorFilter_OutOfMemory;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->filter != wanted) continue;
    if (!scope->error) scope->error = type;
    return;
  }
  for (const Listener& l : listeners_) {
    l.uncaptured.callback(nullptr, type, view(kMessage), l.uncaptured.userdata1,
                          l.uncaptured.userdata2);
  }
}

void FaultyWebGpu::check(const void* object) {
  if (bad_.contains(object)) raise(WGPUErrorType_Validation);
}

void FaultyWebGpu::answer(std::function<void()> tell) {
  if (answering_ == Answering::AtOnce) return tell();
  late_.push_back(std::move(tell));
}

void FaultyWebGpu::tell_late_answers() {
  for (const auto& tell : std::exchange(late_, {})) tell();
}

}  // namespace highwater::gpu
