// The buffers and images of an executable, made and filled at load. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/device_impl.h"
#include "gpu/executable.h"

namespace highwater::gpu {

class Memory {
 public:
  Status load(const Turns& turns, const ExecutableSpec& spec, Accounts& accounts);

  // Of the one that is not an image.
  WGPUBuffer buffer(uint32_t i) const { return places_[i].buffer.get(); }
  // Null for a buffer.
  WGPUTextureView image(uint32_t i) const { return places_[i].image.view.get(); }

 private:
  struct Place {
    BufferHandle buffer;
    Image image;
  };

  // The last place. It is filled outside of any turn, because its bytes may come from anywhere.
  static Status load_buffer(Place& place, uint32_t i, const Turns& turns,
                            const ExecutableSpec& spec, Accounts& accounts);
  static Status load_image(Place& place, uint32_t i, const Turns& turns, const ExecutableSpec& spec,
                           Accounts& accounts);

  std::vector<Place> places_;
};

// How a shader sees an image's texels.
WGPUTextureSampleType sample_type(Texels texels);

}  // namespace highwater::gpu
