#include "gpu/answers.h"

#include "gpu/webgpu_device.h"

namespace highwater::gpu {

void Answers::ask_error_scope(WebGpuDevice& device, std::string context) {
  expect();
  WGPUPopErrorScopeCallbackInfo callback = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = this;
  callback.userdata2 = context.empty() ? nullptr : &contexts_.emplace_back(std::move(context));
  callback.callback = [](WGPUPopErrorScopeStatus, WGPUErrorType type, WGPUStringView message,
                         void* answers, void* within) {
    std::optional<Error> error;
    if (type != WGPUErrorType_NoError) {
      error = fail("WebGPU: ", to_string(message));
      if (within) error = std::move(*error).within(*static_cast<std::string*>(within));
    }
    static_cast<Answers*>(answers)->answer(std::move(error));
  };
  api().DevicePopErrorScope(device.device(), callback);
}

void Answers::ask_when_idle(WebGpuDevice& device) {
  expect();
  WGPUQueueWorkDoneCallbackInfo callback = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = this;
  callback.userdata2 = &device.heard();
  callback.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* answers, void* heard) {
    static_cast<LastHeard*>(heard)->now();
    static_cast<Answers*>(answers)->answer(std::nullopt);
  };
  api().QueueOnSubmittedWorkDone(device.queue(), callback);
}

void Answers::ask_when_mapped(WebGpuDevice& device, WGPUBuffer buffer, size_t size) {
  expect();
  WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = this;
  callback.userdata2 = &device.heard();
  callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView message, void* answers,
                         void* heard) {
    static_cast<LastHeard*>(heard)->now();
    std::optional<Error> error;
    if (status != WGPUMapAsyncStatus_Success) error = fail("reading back: ", to_string(message));
    static_cast<Answers*>(answers)->answer(std::move(error));
  };
  api().BufferMapAsync(buffer, WGPUMapMode_Read, 0, size, callback);
}

size_t Answers::outstanding() const {
  const std::lock_guard lock(mutex_);
  return outstanding_;
}

Status Answers::so_far() const {
  const std::lock_guard lock(mutex_);
  return error_ ? Status(*error_) : Status();
}

void Answers::clear() {
  error_.reset();
  contexts_.clear();
}

void Answers::abandon() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    if (outstanding_ > 0) return;
  }
  delete this;
}

void Answers::expect() {
  const std::lock_guard lock(mutex_);
  outstanding_ += 1;
}

void Answers::answer(std::optional<Error> error) {
  {
    const std::lock_guard lock(mutex_);
    if (error && !error_) error_ = std::move(error);
    outstanding_ -= 1;
    if (!abandoned_ || outstanding_ > 0) return;
  }
  delete this;
}

}  // namespace highwater::gpu
