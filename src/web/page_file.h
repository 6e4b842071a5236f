// A file that a page fetches part by part, because nothing here can wait for it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/byte_source.h"

namespace highwater::web {

// Whoever reads what is not here yet gets an error, and the part is remembered. The page fetches
// it, gives it, and asks for the same again.
class PageFile final : public ByteSource {
 public:
  struct Part {
    uint64_t offset = 0;
    uint64_t size = 0;
  };

  explicit PageFile(uint64_t size) : size_(size) {}

  using ByteSource::read;
  uint64_t size() const override { return size_; }
  bool are_here(uint64_t offset, uint64_t count) const override;
  Status read(uint64_t offset, std::span<std::byte> to) const override;
  bool can_place() const override { return true; }
  void place(uint64_t offset, uint64_t count, void* buffer) const override;

  // The first part that was asked for and is not here. None if all are.
  std::optional<Part> wanted() const;
  void give(uint64_t offset, ByteBuffer bytes);
  // All that was given and asked for. What is still needed will be asked for again.
  void forget();

 private:
  struct Given {
    uint64_t offset;
    ByteBuffer bytes;
  };
  const Given* find(uint64_t offset, uint64_t count) const;

  uint64_t size_;
  std::vector<Given> given_;
  mutable std::optional<Part> wanted_;
};

}  // namespace highwater::web
