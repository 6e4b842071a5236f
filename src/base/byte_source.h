// Bytes that are read a part at a time: those of a file (platform/file.h), or such as are in memory
// already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "highwater/result.h"

namespace highwater {

// Memory for bytes from a file. A file may ask for more than there is, which is an error and not
// the end of the process.
class ByteBuffer {
 public:
  static Result<ByteBuffer> make(uint64_t size);

  std::span<std::byte> bytes() { return {memory_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {memory_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  std::unique_ptr<std::byte[], Free> memory_;
  size_t size_ = 0;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual uint64_t size() const = 0;
  // Whether these bytes can be read by now. What a page has to fetch first is asked for by this.
  virtual bool are_here(uint64_t /*offset*/, uint64_t /*count*/) const { return true; }
  // Whether it can bring bytes to a device's buffer by itself, and then does so before the next
  // part of a load: then they need not be in this memory.
  virtual bool can_place() const { return false; }
  virtual void place(uint64_t /*offset*/, uint64_t /*count*/, void* /*buffer*/) const {}
  // Fills `to` with what begins at `offset`.
  virtual Status read(uint64_t offset, std::span<std::byte> to) const = 0;

  // The same for `count` bytes.
  Result<ByteBuffer> read(uint64_t offset, uint64_t count) const;
  Result<ByteBuffer> read_all() const { return read(0, size()); }
};

// The bytes must outlive it.
std::shared_ptr<const ByteSource> in_memory(std::span<const std::byte> bytes);

}  // namespace highwater
