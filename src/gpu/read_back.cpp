#include "gpu/read_back.h"

#include "base/checked.h"
#include "gpu/executable.h"

namespace highwater::gpu {

void ReadBackBuffer::begin() {
  if (mapped_) api().BufferUnmap(buffer_.get());
  mapped_ = nullptr;
  buffer_.begin();
  chunks_.clear();
  used_ = 0;
}

void ReadBackBuffer::copy(WGPUCommandEncoder encoder, WGPUBuffer from, uint64_t size,
                          Accounts& accounts) {
  chunks_.push_back({used_, size});
  if (size == 0) return;
  api().CommandEncoderCopyBufferToBuffer(encoder, from, 0, buffer_.get(), used_, size);
  used_ += round_up(size, kReadBackAlignment);
  accounts.read_back_bytes += size;
}

void ReadBackBuffer::start_mapping() {
  mapping_.begin();
  if (!empty()) mapping_->ask_when_mapped(device_, buffer_.get(), static_cast<size_t>(used_));
}

Status ReadBackBuffer::finish_mapping() {
  HW_CHECK(mapping_->so_far());
  if (empty()) return {};
  mapped_ = api().BufferGetConstMappedRange(buffer_.get(), 0, static_cast<size_t>(used_));
  return mapped_ ? Status() : fail("reading back: the buffer is not mapped");
}

std::span<const std::byte> ReadBackBuffer::result(size_t i) const {
  const auto begin = static_cast<size_t>(chunks_[i].begin);
  return {static_cast<const std::byte*>(mapped_) + begin, static_cast<size_t>(chunks_[i].size)};
}

}  // namespace highwater::gpu
