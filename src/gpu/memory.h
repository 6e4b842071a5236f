// The buffers and images of an executable, made and filled at load. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/device_impl.h"
#include "gpu/executable.h"

namespace highwater::gpu {

class Memory {
 public:
  Status load(DeviceImpl& device, const ExecutableSpec& spec, Accounts& accounts);

  // Of the one that is not an image.
  WGPUBuffer buffer(uint32_t i) const { return places_[i].buffer.get(); }
  // Null for a buffer.
  WGPUTextureView image(uint32_t i) const { return places_[i].image.view.get(); }

 private:
  struct Place {
    BufferHandle buffer;
    Image image;
  };

  Result<Place> make_buffer(uint32_t i, const BufferSpec& wanted, Accounts& accounts);
  Result<Place> make_image(uint32_t i, const BufferSpec& wanted, Accounts& accounts);

  DeviceImpl* device_ = nullptr;
  const ExecutableSpec* spec_ = nullptr;  // while loading
  std::vector<Place> places_;
};

// How a shader sees an image's texels.
WGPUTextureSampleType sample_type(Texels texels);

// The memory of a buffer that is mapped at creation.
Result<std::span<std::byte>> mapped_memory(WGPUBuffer buffer, uint64_t size);

}  // namespace highwater::gpu
