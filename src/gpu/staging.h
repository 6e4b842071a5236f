// Bytes that must reach their buffers between the passes of one submit. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/growing_buffer.h"

namespace highwater::gpu {

// A queue's writes all come before the submit. What a later pass wants is sent along in a buffer of
// its own, by one write for all passes, and copied from there when its turn comes.
class Staging {
 public:
  explicit Staging(WebGpuDevice& device)
      : device_(device),
        buffer_(device, WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst, "staging") {}

  void clear();
  void add(WGPUBuffer to, uint64_t at, std::span<const std::byte> bytes);
  // Sends all that was added.
  Status send(Answers& answers, Accounts& accounts);
  // Where it was sent is good, as a run without errors shows.
  void keep() { buffer_.keep(); }

  // How many were added so far: one pass's copies begin where those of the one before end.
  size_t count() const { return deliveries_.size(); }
  void encode(WGPUCommandEncoder encoder, size_t begin, size_t end) const;

 private:
  struct Delivery {
    WGPUBuffer to;
    uint64_t at;
    uint64_t from;
    uint64_t size;
  };

  WebGpuDevice& device_;
  GrowingBuffer buffer_;
  std::vector<std::byte> bytes_;
  std::vector<Delivery> deliveries_;
};

}  // namespace highwater::gpu
