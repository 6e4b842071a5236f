// The buffers and images of an executable, made and filled at load. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/executable.h"
#include "gpu/turns.h"

namespace highwater::gpu {

class Buffers {
 public:
  // The next of the spec's buffers. It is filled outside of any turn, because its bytes may come
  // from anywhere.
  Status load_next(const Turns& turns, const ExecutableSpec& spec, Answers& answers,
                   Accounts& accounts);
  uint32_t loaded() const { return static_cast<uint32_t>(slots_.size()); }

  // Of the one that is not an image.
  WGPUBuffer buffer(uint32_t i) const { return slots_[i].buffer.get(); }
  // Null for a buffer.
  WGPUTextureView image(uint32_t i) const { return slots_[i].image.view.get(); }

 private:
  struct Slot {
    BufferHandle buffer;
    Image image;
  };

  static Status load_buffer(Slot& slot, uint32_t i, const Turns& turns, const ExecutableSpec& spec,
                            Answers& answers, Accounts& accounts);
  static Status load_image(Slot& slot, uint32_t i, const Turns& turns, const ExecutableSpec& spec,
                           Answers& answers, Accounts& accounts);

  std::vector<Slot> slots_;
};

// Of an image with such texels.
WGPUTextureFormat format_of(Texels texels);

}  // namespace highwater::gpu
