#include "gpu/turns.h"

namespace highwater::gpu {

ErrorScope::ErrorScope(WebGpuDevice& device, Answers& answers, std::string context)
    : device_(device), answers_(answers), context_(std::move(context)) {
  api().DevicePushErrorScope(device_.device(), WGPUErrorFilter_OutOfMemory);
  api().DevicePushErrorScope(device_.device(), WGPUErrorFilter_Validation);
}

ErrorScope::~ErrorScope() {
  answers_.ask_error_scope(device_, context_);
  answers_.ask_error_scope(device_, std::move(context_));
}

}  // namespace highwater::gpu
