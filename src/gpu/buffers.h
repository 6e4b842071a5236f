// The buffers and images of an executable, made and filled at load. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/executable.h"
#include "gpu/turns.h"

namespace highwater::gpu {

class Buffers {
 public:
  // The next of the spec's buffers, or a portion of one; gives how many bytes the device has to
  // take. They are made outside of any turn, because they may come from anywhere.
  Result<uint64_t> load_next(const Turns& turns, const ExecutableSpec& spec, Answers& answers,
                             Accounts& accounts);
  // So many are whole.
  uint32_t loaded() const { return loaded_; }

  // Of the one that is not an image.
  WGPUBuffer buffer(uint32_t i) const { return slots_[i].buffer.get(); }
  // Null for a buffer.
  WGPUTextureView image(uint32_t i) const { return slots_[i].image.view.get(); }

 private:
  struct Slot {
    BufferHandle buffer;
    Image image;
  };

  // The one that is being loaded.
  const BufferSpec& next(const ExecutableSpec& spec) const { return spec.buffers[loaded_]; }
  Slot& slot() { return slots_.back(); }
  Status begin(const Turns& turns, const ExecutableSpec& spec, Answers& answers,
               Accounts& accounts);
  Result<uint64_t> fill_mapped(const Turns& turns, const ExecutableSpec& spec, Answers& answers);
  Result<uint64_t> write_portion(const Turns& turns, const ExecutableSpec& spec, Answers& answers);
  Result<uint64_t> write_rows(const Turns& turns, const ExecutableSpec& spec, Answers& answers);
  Result<uint64_t> written(uint64_t count, uint64_t size);

  std::vector<Slot> slots_;
  uint32_t loaded_ = 0;
  uint64_t at_ = 0;              // of the next one, where its next portion begins
  std::byte* mapped_ = nullptr;  // its memory, if it is filled at once
};

// Of an image with such texels.
WGPUTextureFormat format_of(Texels texels);

}  // namespace highwater::gpu
