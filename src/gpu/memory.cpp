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

Status flush(DeviceImpl& device, Accounts& accounts) {
  api().QueueSubmit(device.queue(), 0, nullptr);
  accounts.submits += 1;
  return device.wait_idle();
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

Result<std::span<std::byte>> mapped_memory(WGPUBuffer buffer, uint64_t size) {
  auto* memory = static_cast<std::byte*>(api().BufferGetMappedRange(buffer, 0, size));
  if (!memory) return fail("no memory for a buffer of ", size, " bytes");
  return std::span(memory, size);
}

Status Memory::load(DeviceImpl& device, const ExecutableSpec& spec, Accounts& accounts) {
  device_ = &device;
  spec_ = &spec;
  uint64_t portion = 0;
  for (uint32_t i = 0; i < spec.buffers.size(); ++i) {
    const BufferSpec& wanted = spec.buffers[i];
    if (spec.progress) spec.progress("weights", i, spec.buffers.size());
    HW_TRY(Place place, wanted.texels == Texels::None ? make_buffer(i, wanted, accounts)
                                                      : make_image(i, wanted, accounts));
    places_.push_back(std::move(place));
    if (!wanted.filled) continue;
    accounts.uploaded_bytes += wanted.size;
    portion += wanted.size;
    if (portion > kUploadPortion) {
      HW_CHECK(flush(device, accounts));
      portion = 0;
    }
  }
  spec_ = nullptr;
  if (spec.progress) spec.progress("weights", spec.buffers.size(), spec.buffers.size());
  return flush(device, accounts);
}

Result<Memory::Place> Memory::make_buffer(uint32_t i, const BufferSpec& wanted,
                                          Accounts& accounts) {
  Place place;
  HW_TRY(place.buffer,
         device_->make_buffer(wanted.size, kTensorUsage, wanted.filled, "tensor", accounts));
  if (!wanted.filled) return place;
  HW_TRY(const auto memory, mapped_memory(place.buffer.get(), wanted.size));
  Status filled = spec_->fill(i, memory);
  api().BufferUnmap(place.buffer.get());
  HW_CHECK(std::move(filled));
  return place;
}

Result<Memory::Place> Memory::make_image(uint32_t i, const BufferSpec& wanted, Accounts& accounts) {
  const auto rows = static_cast<uint32_t>(image_rows(wanted.size, wanted.texels));
  const auto row_bytes = static_cast<uint32_t>(kImageWidth * byte_size(wanted.texels));
  HW_TRY(Image image, device_->make_image(format_of(wanted.texels), rows, accounts));
  std::vector<std::byte> bytes(uint64_t{rows} * row_bytes);
  HW_CHECK(spec_->fill(i, std::span(bytes).first(wanted.size)));

  WGPUTexelCopyTextureInfo to = WGPU_TEXEL_COPY_TEXTURE_INFO_INIT;
  to.texture = image.texture.get();
  WGPUTexelCopyBufferLayout layout = WGPU_TEXEL_COPY_BUFFER_LAYOUT_INIT;
  layout.bytesPerRow = row_bytes;
  layout.rowsPerImage = rows;
  const WGPUExtent3D extent{kImageWidth, rows, 1};
  api().QueueWriteTexture(device_->queue(), &to, bytes.data(), bytes.size(), &layout, &extent);
  accounts.gpu_bytes += bytes.size();
  return Place{{}, std::move(image)};
}

}  // namespace highwater::gpu
