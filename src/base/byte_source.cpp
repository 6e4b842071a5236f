#include "base/byte_source.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace highwater {
namespace {

bool holds(const ByteSource& source, uint64_t offset, uint64_t count) {
  return offset <= source.size() && count <= source.size() - offset;
}

Error outside(const ByteSource& source, uint64_t offset, uint64_t count) {
  return fail("bytes ", offset, " to ", offset + count, " are wanted of ", source.size());
}

class InMemory final : public ByteSource {
 public:
  explicit InMemory(std::span<const std::byte> bytes) : bytes_(bytes) {}

  using ByteSource::read;
  uint64_t size() const override { return bytes_.size(); }
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    if (!holds(*this, offset, to.size())) return outside(*this, offset, to.size());
    if (!to.empty()) std::memcpy(to.data(), bytes_.data() + static_cast<size_t>(offset), to.size());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

Result<ByteBuffer> ByteBuffer::make(uint64_t size) {
  ByteBuffer buffer;
  buffer.size_ = static_cast<size_t>(size);
  const bool fits = size < static_cast<uint64_t>(PTRDIFF_MAX);
  void* memory = fits ? std::malloc(std::max<size_t>(buffer.size_, 1)) : nullptr;
  if (!memory) return fail("there is no memory for ", size, " bytes");
  buffer.memory_.reset(static_cast<std::byte*>(memory));
  return buffer;
}

Result<ByteBuffer> ByteSource::read(uint64_t offset, uint64_t count) const {
  if (!holds(*this, offset, count)) return outside(*this, offset, count);
  HW_TRY(ByteBuffer buffer, ByteBuffer::make(count));
  HW_CHECK(read(offset, buffer.bytes()));
  return buffer;
}

std::shared_ptr<const ByteSource> in_memory(std::span<const std::byte> bytes) {
  return std::make_shared<InMemory>(bytes);
}

}  // namespace highwater
