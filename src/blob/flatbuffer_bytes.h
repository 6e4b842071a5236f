// Bytes of a flatbuffer, where its scalars can be loaded in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace highwater {

// ExecuTorch aligns what it writes; what comes from elsewhere may not be, and is copied.
class FlatbufferBytes {
 public:
  explicit FlatbufferBytes(std::span<const std::byte> bytes) : bytes_(bytes) {
    constexpr size_t kAlignment = alignof(uint64_t);
    if (reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment == 0) return;
    copy_.resize(bytes.size() / kAlignment + 1);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(copy_.data()));
    bytes_ = std::span(reinterpret_cast<const std::byte*>(copy_.data()), bytes.size());
  }
  FlatbufferBytes(const FlatbufferBytes&) = delete;
  FlatbufferBytes& operator=(const FlatbufferBytes&) = delete;

  const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(bytes_.data()); }
  size_t size() const { return bytes_.size(); }
  // Identifiers stand at bytes 4 to 8, where a verifier does not look for them first.
  bool can_hold_identifier() const { return bytes_.size() >= 8; }

 private:
  std::span<const std::byte> bytes_;
  std::vector<uint64_t> copy_;
};

}  // namespace highwater
