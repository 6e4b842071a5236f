#include "gpu/buffers.h"

#include <algorithm>

#include "base/byte_source.h"

namespace highwater::gpu {
namespace {

constexpr WGPUBufferUsage kTensorUsage =
    WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

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

Status Buffers::load_next(const Turns& turns, const ExecutableSpec& spec, Answers& answers,
                          Accounts& accounts) {
  const uint32_t i = loaded();
  const BufferSpec& wanted = spec.buffers[i];
  // Kept here even if it cannot be filled: the executable gives its objects back in a turn.
  Slot& slot = slots_.emplace_back();
  if (wanted.filled) accounts.uploaded_bytes += wanted.size;
  return wanted.texels == Texels::None ? load_buffer(slot, i, turns, spec, answers, accounts)
                                       : load_image(slot, i, turns, spec, answers, accounts);
}

Status Buffers::load_buffer(Slot& slot, uint32_t i, const Turns& turns, const ExecutableSpec& spec,
                            Answers& answers, Accounts& accounts) {
  const BufferSpec& wanted = spec.buffers[i];
  const auto size = static_cast<size_t>(wanted.size);
  const bool is_placed = wanted.filled && spec.is_placed_at(i);
  const bool is_mapped = wanted.filled && !is_placed;
  std::byte* memory = nullptr;
  HW_CHECK(turns.take([&]() -> Status {
    HW_TRY(slot.buffer, turns.device().make_buffer(wanted.size, kTensorUsage, is_mapped, "tensor",
                                                   answers, accounts));
    if (!is_mapped) return {};
    memory = static_cast<std::byte*>(api().BufferGetMappedRange(slot.buffer.get(), 0, size));
    return memory ? Status() : fail("no memory for a buffer of ", wanted.size, " bytes");
  }));
  if (is_placed) return spec.place(i, slot.buffer.get());
  if (!is_mapped) return {};
  HW_CHECK(spec.fill(i, std::span(memory, size)));
  return turns.take_checked(answers, [&]() -> Status {
    api().BufferUnmap(slot.buffer.get());
    return {};
  });
}

Status Buffers::load_image(Slot& slot, uint32_t i, const Turns& turns, const ExecutableSpec& spec,
                           Answers& answers, Accounts& accounts) {
  const BufferSpec& wanted = spec.buffers[i];
  const auto rows = static_cast<uint32_t>(image_rows(wanted.size, wanted.texels));
  const auto row_bytes = static_cast<uint32_t>(kImageWidth * byte_size(wanted.texels));
  HW_TRY(ByteBuffer buffer, ByteBuffer::make(uint64_t{rows} * row_bytes));
  const std::span<std::byte> bytes = buffer.bytes();
  const auto size = static_cast<size_t>(wanted.size);
  std::fill(bytes.begin() + static_cast<ptrdiff_t>(size), bytes.end(), std::byte{0});
  HW_CHECK(spec.fill(i, bytes.first(size)));

  return turns.take_checked(answers, [&]() -> Status {
    HW_TRY(slot.image,
           turns.device().make_image(format_of(wanted.texels), rows, answers, accounts));
    WGPUTexelCopyTextureInfo to = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
    to.texture = slot.image.texture.get();
    WGPUTexelCopyBufferLayout layout = WGPU_TEXEL_COPY_BUFFER_LAYOUT_INIT;
    layout.bytesPerRow = row_bytes;
    layout.rowsPerImage = rows;
    const WGPUExtent3D extent{kImageWidth, rows, 1};
    api().QueueWriteTexture(turns.device().queue(), &to, bytes.data(), bytes.size(), &layout,
                            &extent);
    accounts.gpu_bytes += bytes.size();
    return {};
  });
}

}  // namespace highwater::gpu
