// A buffer that is made anew when it is too small. For gpu/ only.
#pragma once

#include <string_view>

#include "gpu/webgpu_device.h"

namespace highwater::gpu {

// Some implementations tell only after the run that a buffer could not be made. What was made for a
// run that failed is therefore not used by the next.
class GrowingBuffer {
 public:
  GrowingBuffer(WebGpuDevice& device, WGPUBufferUsage usage, std::string_view label)
      : device_(device), usage_(usage), label_(label) {}

  // Before a run.
  void begin() {
    if (is_proven_) return;
    buffer_ = {};
    capacity_ = 0;
    is_proven_ = true;
  }
  bool holds(uint64_t size) const { return size <= capacity_; }
  // At least `size` bytes.
  Status reserve(uint64_t size, Answers& answers, Accounts& accounts) {
    if (holds(size)) return {};
    is_proven_ = false;
    HW_TRY(buffer_, device_.make_buffer(size, usage_, false, label_, answers, accounts));
    capacity_ = size;
    return {};
  }
  // After a run without errors.
  void keep() { is_proven_ = true; }

  WGPUBuffer get() const { return buffer_.get(); }

 private:
  WebGpuDevice& device_;
  WGPUBufferUsage usage_;
  std::string_view label_;
  BufferHandle buffer_;
  uint64_t capacity_ = 0;
  bool is_proven_ = true;
};

}  // namespace highwater::gpu
