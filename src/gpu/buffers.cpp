#include "gpu/buffers.h"

#include <algorithm>

#include "base/byte_source.h"

namespace highwater::gpu {
namespace {

constexpr WGPUBufferUsage kTensorUsage =
    WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

// What is larger is filled so much at a time, so that it is not in memory twice.
constexpr uint64_t kPortion = 8ull << 20;

uint64_t row_bytes(const BufferSpec& image) {
  return kImageWidth * byte_size(image.texels);
}

}  // namespace

WGPUTextureFormat format_of(Texels texels) {
  switch (texels) {
    case Texels::Sint4:
      return WGPUTextureFormat_RGBA32Sint;
    case Texels::Uint4:
      return WGPUTextureFormat_RGBA32Uint;
    case Texels::Uint2:
      return WGPUTextureFormat_RG32Uint;
    case Texels::Uint1:
      return WGPUTextureFormat_R32Uint;
    default:
      return WGPUTextureFormat_RGBA32Float;
  }
}

Result<uint64_t> Buffers::load_next(const Turns& turns, const ExecutableSpec& spec,
                                    Answers& answers, Accounts& accounts) {
  if (slots_.size() == loaded_) HW_CHECK(begin(turns, spec, answers, accounts));
  const BufferSpec& wanted = next(spec);
  if (wanted.texels != Texels::None) return write_rows(turns, spec, answers);
  if (wanted.filled && spec.is_placed_at(loaded_)) {
    HW_CHECK(spec.place(loaded_, slot().buffer.get()));
  } else if (wanted.filled) {
    return mapped_ ? fill_mapped(turns, spec, answers) : write_portion(turns, spec, answers);
  }
  HW_CHECK(written(wanted.size, wanted.size));
  return 0;
}

Status Buffers::begin(const Turns& turns, const ExecutableSpec& spec, Answers& answers,
                      Accounts& accounts) {
  const BufferSpec& wanted = next(spec);
  // Kept here even if it cannot be filled: the executable gives its objects back in a turn.
  Slot& slot = slots_.emplace_back();
  if (wanted.filled) accounts.uploaded_bytes += wanted.size;
  const bool is_small = wanted.filled && wanted.size <= kPortion && !spec.is_placed_at(loaded_);
  return turns.take_checked(answers, [&]() -> Status {
    WebGpuDevice& device = turns.device();
    if (wanted.texels != Texels::None) {
      const uint64_t rows = image_rows(wanted.size, wanted.texels);
      accounts.gpu_bytes += rows * row_bytes(wanted);
      HW_TRY(slot.image, device.make_image(format_of(wanted.texels), static_cast<uint32_t>(rows),
                                           answers, accounts));
      return {};
    }
    HW_TRY(slot.buffer,
           device.make_buffer(wanted.size, kTensorUsage, is_small, "tensor", answers, accounts));
    if (!is_small) return {};
    mapped_ = static_cast<std::byte*>(
        api().BufferGetMappedRange(slot.buffer.get(), 0, static_cast<size_t>(wanted.size)));
    return mapped_ ? Status() : fail("no memory for a buffer of ", wanted.size, " bytes");
  });
}

Result<uint64_t> Buffers::fill_mapped(const Turns& turns, const ExecutableSpec& spec,
                                      Answers& answers) {
  const uint64_t size = next(spec).size;
  HW_CHECK(spec.fill(loaded_, 0, std::span(mapped_, static_cast<size_t>(size))));
  mapped_ = nullptr;
  HW_CHECK(turns.take_checked(answers, [&]() -> Status {
    api().BufferUnmap(slot().buffer.get());
    return {};
  }));
  return written(size, size);
}

Result<uint64_t> Buffers::write_portion(const Turns& turns, const ExecutableSpec& spec,
                                        Answers& answers) {
  const uint64_t size = next(spec).size, count = std::min(size - at_, kPortion);
  HW_TRY(ByteBuffer portion, ByteBuffer::make(count));
  // What a constant leaves of its last quad.
  std::fill(portion.bytes().begin(), portion.bytes().end(), std::byte{0});
  HW_CHECK(spec.fill(loaded_, at_, portion.bytes()));
  HW_CHECK(turns.take_checked(answers, [&]() -> Status {
    api().QueueWriteBuffer(turns.device().queue(), slot().buffer.get(), at_, portion.bytes().data(),
                           portion.bytes().size());
    return {};
  }));
  return written(count, size);
}

Result<uint64_t> Buffers::write_rows(const Turns& turns, const ExecutableSpec& spec,
                                     Answers& answers) {
  const BufferSpec& wanted = next(spec);
  const uint64_t row = row_bytes(wanted), first = at_ / row;
  const uint64_t rows = std::min(image_rows(wanted.size, wanted.texels) - first, kPortion / row);
  HW_TRY(ByteBuffer portion, ByteBuffer::make(rows * row));
  const std::span<std::byte> bytes = portion.bytes();
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  const uint64_t count = std::min<uint64_t>(wanted.size - at_, bytes.size());
  HW_CHECK(spec.fill(loaded_, at_, bytes.first(static_cast<size_t>(count))));
  HW_CHECK(turns.take_checked(answers, [&]() -> Status {
    WGPUTexelCopyTextureInfo to = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
    to.texture = slot().image.texture.get();
    to.origin.y = static_cast<uint32_t>(first);
    WGPUTexelCopyBufferLayout layout = WGPU_TEXEL_COPY_BUFFER_LAYOUT_INIT;
    layout.bytesPerRow = static_cast<uint32_t>(row);
    layout.rowsPerImage = static_cast<uint32_t>(rows);
    const WGPUExtent3D extent{kImageWidth, static_cast<uint32_t>(rows), 1};
    api().QueueWriteTexture(turns.device().queue(), &to, bytes.data(), bytes.size(), &layout,
                            &extent);
    return {};
  }));
  return written(count, wanted.size);
}

// The next portion begins after these bytes, or with the next buffer.
Result<uint64_t> Buffers::written(uint64_t count, uint64_t size) {
  at_ += count;
  if (at_ == size) {
    at_ = 0;
    loaded_ += 1;
  }
  return count;
}

}  // namespace highwater::gpu
