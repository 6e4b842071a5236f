#include "gpu/read_back.h"

#include "base/checked.h"
#include "gpu/executable.h"

namespace highwater::gpu {

ReadBackBuffer::~ReadBackBuffer() {
  begin();
  // After a time-out the callback may still come.
  if (!mapping_->done) (void)mapping_.release();
}

Status ReadBackBuffer::reserve(uint64_t size, Accounts& accounts) {
  if (size <= capacity_) return {};
  HW_TRY(buffer_, device_.make_buffer(size, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst,
                                      false, "read-back", accounts));
  capacity_ = size;
  return {};
}

void ReadBackBuffer::begin() {
  if (mapped_) api().BufferUnmap(buffer_.get());
  mapped_ = nullptr;
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

Status ReadBackBuffer::map() {
  mapping_->done = false;
  mapping_->ok = false;
  WGPUBufferMapCallbackInfo callback = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = mapping_.get();
  callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView message, void* out, void*) {
    auto* mapping = static_cast<Mapping*>(out);
    mapping->ok = status == WGPUMapAsyncStatus_Success;
    if (!mapping->ok) mapping->message = to_string(message);
    mapping->done.store(true, std::memory_order_release);
  };
  api().BufferMapAsync(buffer_.get(), WGPUMapMode_Read, 0, used_, callback);
  HW_CHECK(device_.wait(mapping_->done, "a run"));
  if (!mapping_->ok) return fail("reading back: ", mapping_->message);
  mapped_ = api().BufferGetConstMappedRange(buffer_.get(), 0, used_);
  if (!mapped_) return fail("reading back: the buffer is not mapped");
  return {};
}

std::span<const std::byte> ReadBackBuffer::result(size_t i) const {
  return {static_cast<const std::byte*>(mapped_) + chunks_[i].begin, chunks_[i].size};
}

}  // namespace highwater::gpu
