// A file as bytes, without reading what nobody looks at: of a model, most are weights.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "highwater/result.h"

namespace highwater {

class FileBytes {
 public:
  static Result<FileBytes> open(const std::string& path);

  FileBytes(FileBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  FileBytes& operator=(FileBytes&&) = delete;
  ~FileBytes();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit FileBytes(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::span<std::byte> bytes_;
};

}  // namespace highwater
