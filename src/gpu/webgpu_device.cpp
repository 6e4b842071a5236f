#include "gpu/webgpu_device.h"

#include "base/texels.h"
#include "gpu/adapter_choice.h"
#include "gpu/driver_process.h"
#include "gpu/request.h"
#include "gpu/turns.h"

namespace highwater::gpu {
namespace {

struct GivenDevice {
  DeviceHandle device;
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

Result<std::unique_ptr<WebGpuDevice>> WebGpuDevice::create(std::string_view wanted) {
  HW_TRY(Adapter adapter, choose_adapter(wanted));
  WGPULimits limits = WGPU_LIMITS_INIT;
  if (api().AdapterGetLimits(adapter.handle.get(), &limits) != WGPUStatus_Success) {
    return fail("adapter ", adapter.description.name, " does not tell its limits");
  }
  std::vector<WGPUFeatureName> features;
  for (const KnownFeature& f : kKnownFeatures) {
    if (api().AdapterHasFeature(adapter.handle.get(), f.feature)) features.push_back(f.feature);
  }
  std::unique_ptr<WebGpuDevice> result(new WebGpuDevice);
  const WGPUDeviceDescriptor descriptor = describe_device(limits, features, *result->faults_);
  Request<GivenDevice> request;
  WGPURequestDeviceCallbackInfo callback = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = request.userdata();
  callback.callback = [](WGPURequestDeviceStatus, WGPUDevice device, WGPUStringView message,
                         void* out, void*) {
    Request<GivenDevice>::answer(out, {DeviceHandle(device), to_string(message)});
  };
  api().AdapterRequestDevice(adapter.handle.get(), &descriptor, callback);
  HW_TRY(WGPUInstance the_instance, instance());
  api().InstanceProcessEvents(the_instance);
  std::optional<GivenDevice> given = request.take();
  if (!given || !given->device) {
    return fail("adapter ", adapter.description.name,
                " gave no device: ", given ? given->message : "it does not answer");
  }
  result->adapter_ = std::move(adapter.description);
  result->device_ = std::move(given->device);
  result->queue_ = QueueHandle(api().DeviceGetQueue(result->device()));
  return result;
}

Result<std::unique_lock<Mutex>> WebGpuDevice::lock() {
  HW_CHECK(check_driver_process());
  return std::unique_lock(mutex_);
}

Status WebGpuDevice::poll(Clock::time_point began, const Timeout& timeout, std::string_view what) {
  HW_CHECK(check_driver_process());
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? poll_in_turn(began, timeout, what) : check_silence(began, timeout, what);
}

Status WebGpuDevice::poll_in_turn(Clock::time_point began, const Timeout& timeout,
                                  std::string_view what) {
  HW_TRY(WGPUInstance the_instance, instance());
  api().InstanceProcessEvents(the_instance);
  return check_silence(began, timeout, what);
}

Status WebGpuDevice::check_silence(Clock::time_point began, const Timeout& timeout,
                                   std::string_view what) {
  if (timeout.is_over(began, *heard_)) {
    faults_->lost(text(what, " took longer than ", timeout.seconds(), " s"));
  }
  return faults_->is_lost() ? faults_->take() : Status();
}

Result<BufferHandle> WebGpuDevice::make_buffer(uint64_t size, WGPUBufferUsage usage, bool mapped,
                                               std::string_view label, Answers& answers,
                                               Accounts& accounts) {
  if (size > adapter_.limits.max_buffer_size) {
    return fail(label, " needs a buffer of ", size, " bytes; adapter ", adapter_.name,
                " allows at most ", adapter_.limits.max_buffer_size);
  }
  WGPUBufferDescriptor d = WGPU_BUFFER_DESCRIPTOR_INIT;
  d.label = view(label);
  d.size = size;
  d.usage = usage;
  d.mappedAtCreation = mapped;
  BufferHandle buffer;
  {
    const ErrorScope scope(*this, answers, text(label, " of ", size, " bytes"));
    buffer = BufferHandle(api().DeviceCreateBuffer(device_.get(), &d));
  }
  // Touching an invalid buffer aborts in wgpu-native, which has answered by now.
  HW_CHECK(answers.so_far());
  if (!buffer) return fail("no memory for ", label, " of ", size, " bytes");
  accounts.gpu_objects += 1;
  accounts.gpu_bytes += size;
  return buffer;
}

Result<Image> WebGpuDevice::make_image(WGPUTextureFormat format, uint32_t rows, Answers& answers,
                                       Accounts& accounts) {
  WGPUTextureDescriptor d = WGPU_TEXTURE_DESCRIPTOR_INIT;
  d.label = view("constant");
  d.usage = WGPUTextureUsage_StorageBinding | WGPUTextureUsage_CopyDst;
  d.size = {kImageWidth, rows, 1};
  d.format = format;
  Image image;
  {
    const ErrorScope scope(*this, answers, text("an image of ", rows, " rows"));
    image.texture = TextureHandle(api().DeviceCreateTexture(device_.get(), &d));
    image.view = TextureViewHandle(api().TextureCreateView(image.texture.get(), nullptr));
  }
  HW_CHECK(answers.so_far());
  accounts.gpu_objects += 2;
  return image;
}

}  // namespace highwater::gpu
