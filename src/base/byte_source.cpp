#include "base/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace highwater {
namespace {

bool holds(const ByteSource& source, uint64_t offset, uint64_t count) {
  return offset <= source.size() && count <= source.size() - offset;
}

Error outside(const ByteSource& source, uint64_t offset, uint64_t count) {
  return fail("bytes ", offset, " to ", offset + count, " are wanted of ", source.size());
}

class File final : public ByteSource {
 public:
  File(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override { ::close(descriptor_); }

  Status measure() {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0) return failed(std::strerror(errno));
    // A pipe might never end, and a folder has no bytes.
    if (!S_ISREG(status.st_mode)) return failed("it is not a file");
    size_ = static_cast<uint64_t>(status.st_size);
    return {};
  }

  using ByteSource::read;
  uint64_t size() const override { return size_; }
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    while (!to.empty()) {
      const ssize_t count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failed(std::strerror(errno));
      if (count == 0) return failed("it became shorter while it was read");
      to = to.subspan(static_cast<size_t>(count));
      offset += static_cast<uint64_t>(count);
    }
    return {};
  }

 private:
  Error failed(std::string_view why) const { return fail("cannot read ", path_, ": ", why); }

  std::string path_;
  int descriptor_;
  uint64_t size_ = 0;
};

class Memory final : public ByteSource {
 public:
  explicit Memory(std::span<const std::byte> bytes) : bytes_(bytes) {}

  using ByteSource::read;
  uint64_t size() const override { return bytes_.size(); }
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    if (!holds(*this, offset, to.size())) return outside(*this, offset, to.size());
    if (!to.empty()) std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

Result<ByteBuffer> ByteBuffer::make(uint64_t size) {
  ByteBuffer buffer;
  const bool fits = size < static_cast<uint64_t>(PTRDIFF_MAX);
  buffer.memory_.reset(fits ? static_cast<std::byte*>(std::malloc(size ? size : 1)) : nullptr);
  if (!buffer.memory_) return fail("there is no memory for ", size, " bytes");
  buffer.size_ = static_cast<size_t>(size);
  return buffer;
}

Result<ByteBuffer> ByteSource::read(uint64_t offset, uint64_t count) const {
  if (!holds(*this, offset, count)) return outside(*this, offset, count);
  HW_TRY(ByteBuffer buffer, ByteBuffer::make(count));
  HW_CHECK(read(offset, buffer.bytes()));
  return buffer;
}

Result<std::shared_ptr<const ByteSource>> open_file(const std::string& path) {
  // To open a pipe would otherwise wait for somebody who writes into it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail("cannot read ", path, ": ", std::strerror(errno));
  auto file = std::make_shared<File>(path, descriptor);
  HW_CHECK(file->measure());
  return std::shared_ptr<const ByteSource>(std::move(file));
}

std::shared_ptr<const ByteSource> in_memory(std::span<const std::byte> bytes) {
  return std::make_shared<Memory>(bytes);
}

}  // namespace highwater
