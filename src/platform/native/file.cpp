#include "platform/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace highwater {
namespace {

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

}  // namespace

Result<std::shared_ptr<const ByteSource>> open_file(const std::string& path) {
  // To open a pipe would otherwise wait for somebody who writes into it.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail("cannot read ", path, ": ", std::strerror(errno));
  auto file = std::make_shared<File>(path, descriptor);
  HW_CHECK(file->measure());
  return std::shared_ptr<const ByteSource>(std::move(file));
}

}  // namespace highwater
