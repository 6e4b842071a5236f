// What comes back from the device after a run. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/growing_buffer.h"
#include "gpu/turns.h"

namespace highwater::gpu {

class ReadBackBuffer {
 public:
  explicit ReadBackBuffer(WebGpuDevice& device)
      : device_(device),
        buffer_(device, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst, "read-back") {}

  // Room for `size` bytes; the buffer is made anew if it is too small.
  Status reserve(uint64_t size, Answers& answers, Accounts& accounts) {
    return buffer_.reserve(size, answers, accounts);
  }

  // Forgets what was read back before.
  void begin();
  // What was reserved is good, as a run without errors shows.
  void keep() { buffer_.keep(); }
  void copy(WGPUCommandEncoder encoder, WGPUBuffer from, uint64_t size, Accounts& accounts);
  bool empty() const { return used_ == 0; }

  // Asks for the bytes, after the copies were submitted.
  void start_mapping();
  bool is_answered() const { return mapping_->are_all_there(); }
  // The bytes are there, until begin(); or why not.
  Status finish_mapping();
  // The i-th that was copied.
  std::span<const std::byte> result(size_t i) const;

 private:
  struct Chunk {
    uint64_t begin;
    uint64_t size;
  };

  WebGpuDevice& device_;
  GrowingBuffer buffer_;
  uint64_t used_ = 0;
  std::vector<Chunk> chunks_;
  const void* mapped_ = nullptr;
  OwnAnswers mapping_;
};

}  // namespace highwater::gpu
