// Bytes that are read a part at a time: those of a file, or such as are in memory already.
//
// A file is not mapped: somebody who cuts it short while it is being read would end the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "highwater/result.h"

namespace highwater {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual uint64_t size() const = 0;
  // Fills `to` with what begins at `offset`.
  virtual Status read(uint64_t offset, std::span<std::byte> to) const = 0;

  // The same for `count` bytes; more than there are is an error before there is memory for them.
  Result<std::vector<std::byte>> read(uint64_t offset, uint64_t count) const;
  Result<std::vector<std::byte>> read_all() const { return read(0, size()); }
};

Result<std::shared_ptr<const ByteSource>> open_file(const std::string& path);

// The bytes must outlive it.
std::shared_ptr<const ByteSource> in_memory(std::span<const std::byte> bytes);

}  // namespace highwater
