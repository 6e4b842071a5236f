#include "gpu/device.h"

#include <algorithm>
#include <map>

#include "base/texels.h"
#include "gpu/adapter_choice.h"
#include "gpu/device_impl.h"
#include "gpu/driver_process.h"
#include "gpu/subgroups.h"
#include "platform/environment.h"
#include "platform/pause.h"

namespace highwater::gpu {

void Faults::lost(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!lost_) lost_ = std::move(message);
}

void Faults::uncaptured(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!uncaptured_) uncaptured_ = std::move(message);
}

Status Faults::take() {
  const std::lock_guard lock(mutex_);
  if (lost_) return fail("the WebGPU device is lost: ", *lost_);
  if (!uncaptured_) return {};
  const std::string message = *std::exchange(uncaptured_, std::nullopt);
  return fail("WebGPU: ", message);
}

bool Faults::is_lost() const {
  const std::lock_guard lock(mutex_);
  return lost_.has_value();
}

namespace {

struct DeviceRequest {
  WGPUDevice device = nullptr;
  std::string message;
};

WGPUDeviceDescriptor describe_device(const WGPULimits& limits,
                                     const std::vector<WGPUFeatureName>& features, Faults& faults) {
  WGPUDeviceDescriptor d = WGPU_DEVICE_DESCRIPTOR_INIT;
  d.label = view("highwater");
  d.requiredLimits = &limits;
  d.requiredFeatureCount = features.size();
  d.requiredFeatures = features.data();
  d.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  d.deviceLostCallbackInfo.userdata1 = &faults;
  d.deviceLostCallbackInfo.callback = [](const WGPUDevice*, WGPUDeviceLostReason reason,
                                         WGPUStringView message, void* out, void*) {
    if (reason == WGPUDeviceLostReason_Destroyed) return;
    static_cast<Faults*>(out)->lost(to_string(message));
  };
  d.uncapturedErrorCallbackInfo.userdata1 = &faults;
  d.uncapturedErrorCallbackInfo.callback = [](const WGPUDevice*, WGPUErrorType,
                                              WGPUStringView message, void* out, void*) {
    static_cast<Faults*>(out)->uncaptured(to_string(message));
  };
  return d;
}

}  // namespace

Result<std::unique_ptr<DeviceImpl>> DeviceImpl::create(std::string_view wanted) {
  HW_TRY(Adapter adapter, choose_adapter(wanted));
  WGPULimits limits = WGPU_LIMITS_INIT;
  if (api().AdapterGetLimits(adapter.handle.get(), &limits) != WGPUStatus_Success) {
    return fail("adapter ", adapter.description.name, " does not tell its limits");
  }
  std::vector<WGPUFeatureName> features;
  for (const KnownFeature& f : kKnownFeatures) {
    if (api().AdapterHasFeature(adapter.handle.get(), f.feature)) features.push_back(f.feature);
  }
  std::unique_ptr<DeviceImpl> result(new DeviceImpl);
  const WGPUDeviceDescriptor descriptor = describe_device(limits, features, *result->faults_);
  DeviceRequest request;
  WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = &request;
  callback.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView message,
                         void* out, void*) {
    *static_cast<DeviceRequest*>(out) = {device, to_string(message)};
  };
  api().AdapterRequestDevice(adapter.handle.get(), &descriptor, callback);
  HW_TRY(WGPUInstance the_instance, instance());
  api().InstanceProcessEvents(the_instance);
  if (!request.device) {
    return fail("adapter ", adapter.description.name, " gave no device: ", request.message);
  }
  result->adapter_ = std::move(adapter.description);
  result->device_ = DeviceHandle(request.device);
  result->queue_ = QueueHandle(api().DeviceGetQueue(request.device));
  return result;
}

Result<std::unique_lock<Mutex>> DeviceImpl::lock(const Timeout& timeout) {
  HW_CHECK(check_driver_process());
  std::unique_lock lock(mutex_);
  timeout_ = timeout;
  return lock;
}

Status DeviceImpl::wait(const std::atomic<bool>& done, std::string_view what) {
  const auto began = Timeout::Clock::now();
  HW_TRY(WGPUInstance the_instance, instance());
  for (Pause pause;;) {
    api().InstanceProcessEvents(the_instance);
    if (done.load(std::memory_order_acquire)) return {};
    if (faults_->is_lost()) return faults_->take();
    if (timeout_.is_over(began)) {
      faults_->lost(text(what, " took longer than ", timeout_.seconds(), " s"));
      return faults_->take();
    }
    HW_CHECK(pause.take());
  }
}

Status DeviceImpl::wait_idle() {
  std::atomic<bool>& idle = faults_->idle();
  idle = false;
  WGPUQueueWorkDoneCallbackInfo callback = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = &idle;
  callback.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* userdata, void*) {
    static_cast<std::atomic<bool>*>(userdata)->store(true, std::memory_order_release);
  };
  api().QueueOnSubmittedWorkDone(queue_.get(), callback);
  return wait(idle, "waiting for the device");
}

Result<BufferHandle> DeviceImpl::make_buffer(uint64_t size, WGPUBufferUsage usage, bool mapped,
                                             std::string_view label, Accounts& accounts) {
  if (size > adapter_.limits.max_buffer_size) {
    return fail(label, " needs a buffer of ", size, " bytes; adapter ", adapter_.name,
                " allows at most ", adapter_.limits.max_buffer_size);
  }
  WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
  d.label = view(label);
  d.size = size;
  d.usage = usage;
  d.mappedAtCreation = mapped;
  // Touching an invalid buffer aborts in wgpu-native, so each is known to be good at once.
  ErrorScope scope(*this);
  BufferHandle buffer(api().DeviceCreateBuffer(device_.get(), &d));
  Status made = scope.finish();
  if (!made) return made.take_error().within(text(label, " of ", size, " bytes"));
  if (!buffer) return fail("no memory for ", label, " of ", size, " bytes");
  accounts.gpu_objects += 1;
  accounts.gpu_bytes += size;
  return buffer;
}

Result<Image> DeviceImpl::make_image(WGPUTextureFormat format, uint32_t rows, Accounts& accounts) {
  WGPUTextureDescriptor d = WGPU_TEXTURE_DESCRIPTOR_INIT;
  d.label = view("constant");
  d.usage = WGPUTextureUsage_TextureBinding | WGPUTextureUsage_CopyDst;
  d.size = {kImageWidth, rows, 1};
  d.format = format;
  ErrorScope scope(*this);
  Image image;
  image.texture = TextureHandle(api().DeviceCreateTexture(device_.get(), &d));
  image.view = TextureViewHandle(api().TextureCreateView(image.texture.get(), nullptr));
  Status made = scope.finish();
  if (!made) return made.take_error().within(text("an image of ", rows, " rows"));
  accounts.gpu_objects += 2;
  return image;
}

ErrorScope::ErrorScope(DeviceImpl& device) : device_(device) {
  api().DevicePushErrorScope(device_.device(), WGPUErrorFilter_OutOfMemory);
  api().DevicePushErrorScope(device_.device(), WGPUErrorFilter_Validation);
}

ErrorScope::~ErrorScope() {
  if (open_) (void)finish();
}

Status ErrorScope::pop() {
  Faults::ScopeResult& caught = device_.faults().scope_result();
  caught.done = false;
  caught.error = false;
  WGPUPopErrorScopeCallbackInfo callback = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = &caught;
  callback.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType type, WGPUStringView message,
                         void* out, void*) {
    auto* result = static_cast<Faults::ScopeResult*>(out);
    if (type != WGPUErrorType_NoError) {
      result->error = true;
      result->message = to_string(message);
    }
    result->done.store(true, std::memory_order_release);
  };
  api().DevicePopErrorScope(device_.device(), callback);
  HW_CHECK(device_.wait(caught.done, "closing an error scope"));
  if (!caught.error) return {};
  return fail("WebGPU: ", caught.message);
}

Status ErrorScope::finish() {
  open_ = false;
  Status validation = pop();
  Status memory = pop();
  if (!validation) return validation;
  if (!memory) return memory;
  return device_.faults().take();
}

Device::Device(std::unique_ptr<DeviceImpl> impl) : impl_(std::move(impl)) {}
Device::~Device() = default;

const AdapterDescription& Device::adapter() const {
  return impl_->adapter();
}

Result<std::shared_ptr<Device>> Device::open(std::string wanted) {
  HW_CHECK(check_driver_process());
  // Kept until the process ends: implementations do not all survive being torn down at exit.
  static auto& mutex = *new Mutex;
  static auto& devices = *new std::map<std::string, std::shared_ptr<Device>>;
  if (wanted.empty()) wanted = variable("HIGHWATER_ADAPTER").value_or("");
  // Held while a device is made and probed, which calls nothing but the driver.
  const std::lock_guard lock(mutex);
  std::shared_ptr<Device>& device = devices[wanted];
  if (!device || device->impl().faults().is_lost()) {
    HW_TRY(auto impl, DeviceImpl::create(wanted));
    device = std::make_shared<Device>(std::move(impl));
    if (device->adapter().has(kSubgroups) && device->adapter().type == "CPU") {
      device->subgroup_size_ = measure_subgroup_size(device);
    }
    leave_driver_out_of_forked_exits();
  }
  return device;
}

}  // namespace highwater::gpu
