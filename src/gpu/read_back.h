// What comes back from the device after a run. For gpu/ only.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/device_impl.h"

namespace highwater::gpu {

class ReadBackBuffer {
 public:
  explicit ReadBackBuffer(DeviceImpl& device) : device_(device) {}
  ~ReadBackBuffer();

  // Room for `size` bytes; the buffer is made anew if it is too small.
  Status reserve(uint64_t size, Accounts& accounts);

  // Forgets what was read back before.
  void begin();
  void copy(WGPUCommandEncoder encoder, WGPUBuffer from, uint64_t size, Accounts& accounts);
  bool empty() const { return used_ == 0; }

  // Waits for the device, and leaves the bytes mapped until begin().
  Status map();
  // The i-th that was copied.
  std::span<const std::byte> result(size_t i) const;

 private:
  struct Chunk {
    uint64_t begin;
    uint64_t size;
  };
  struct Mapping {
    std::atomic<bool> done{true};
    bool ok = false;
    std::string message;
  };

  DeviceImpl& device_;
  BufferHandle buffer_;
  uint64_t capacity_ = 0;
  uint64_t used_ = 0;
  std::vector<Chunk> chunks_;
  const void* mapped_ = nullptr;
  std::unique_ptr<Mapping> mapping_ = std::make_unique<Mapping>();
};

}  // namespace highwater::gpu
