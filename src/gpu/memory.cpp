#include "gpu/memory.h"

namespace highwater::gpu {
namespace {

constexpr WGPUBufferUsage kTensorUsage =
    WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

// What is handed over is staged by the implementation until the next submit. Handing it over in
// portions keeps a model from being in memory twice.
constexpr uint64_t kUploadPortion = 64ull << 20;

WGPUTextureFormat format_of(Texels texels) {
  switch (texels) {
    case Texels::Sint4:
      return WGPUTextureFormat_RGBA32Sint;
    case Texels::Uint4:
      return WGPUTextureFormat_RGBA32Uint;
    case Texels::Uint2:
      return WGPUTextureFormat_RG32Uint;
    default:
      return WGPUTextureFormat_RGBA32Float;
  }
}

Status flush(const Turns& turns, Accounts& accounts) {
  accounts.submits += 1;
  return turns.take_checked([&] {
    api().QueueSubmit(turns.device().queue(), 0, nullptr);
    return turns.device().wait_idle();
  });
}

}  // namespace

WGPUTextureSampleType sample_type(Texels texels) {
  switch (texels) {
    case Texels::Sint4:
      return WGPUTextureSampleType_Sint;
    case Texels::Uint4:
    case Texels::Uint2:
      return WGPUTextureSampleType_Uint;
    default:
      return WGPUTextureSampleType_UnfilterableFloat;
  }
}

Status Memory::load(const Turns& turns, const ExecutableSpec& spec, Accounts& accounts) {
  uint64_t portion = 0;
  for (uint32_t i = 0; i < spec.buffers.size(); ++i) {
    const BufferSpec& wanted = spec.buffers[i];
    HW_CHECK(tell(spec.progress, "weights", i, spec.buffers.size()));
    // Kept here even if it cannot be filled: the executable gives its objects back in a turn.
    Place& place = places_.emplace_back();
    HW_CHECK(wanted.texels == Texels::None ? load_buffer(place, i, turns, spec, accounts)
                                           : load_image(place, i, turns, spec, accounts));
    if (!wanted.filled) continue;
    accounts.uploaded_bytes += wanted.size;
    portion += wanted.size;
    if (portion > kUploadPortion) {
      HW_CHECK(flush(turns, accounts));
      portion = 0;
    }
  }
  HW_CHECK(tell(spec.progress, "weights", spec.buffers.size(), spec.buffers.size()));
  return flush(turns, accounts);
}

Status Memory::load_buffer(Place& place, uint32_t i, const Turns& turns, const ExecutableSpec& spec,
                           Accounts& accounts) {
  const BufferSpec& wanted = spec.buffers[i];
  std::byte* memory = nullptr;
  HW_CHECK(turns.take([&]() -> Status {
    HW_TRY(place.buffer, turns.device().make_buffer(wanted.size, kTensorUsage, wanted.filled,
                                                    "tensor", accounts));
    if (!wanted.filled) return {};
    memory =
        static_cast<std::byte*>(api().BufferGetMappedRange(place.buffer.get(), 0, wanted.size));
    return memory ? Status() : fail("no memory for a buffer of ", wanted.size, " bytes");
  }));
  if (!wanted.filled) return {};
  HW_CHECK(spec.fill(i, std::span(memory, wanted.size)));
  return turns.take_checked([&]() -> Status {
    api().BufferUnmap(place.buffer.get());
    return {};
  });
}

Status Memory::load_image(Place& place, uint32_t i, const Turns& turns, const ExecutableSpec& spec,
                          Accounts& accounts) {
  const BufferSpec& wanted = spec.buffers[i];
  const auto rows = static_cast<uint32_t>(image_rows(wanted.size, wanted.texels));
  const auto row_bytes = static_cast<uint32_t>(kImageWidth * byte_size(wanted.texels));
  std::vector<std::byte> bytes(uint64_t{rows} * row_bytes);
  HW_CHECK(spec.fill(i, std::span(bytes).first(wanted.size)));

  return turns.take_checked([&]() -> Status {
    HW_TRY(place.image, turns.device().make_image(format_of(wanted.texels), rows, accounts));
    WGPUTexelCopyTextureInfo to = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
    to.texture = place.image.texture.get();
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
