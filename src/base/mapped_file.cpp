#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace highwater {

Result<MappedFile> MappedFile::open(const std::string& path) {
  const auto failed = [&] { return fail("cannot read ", path, ": ", std::strerror(errno)); };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed();
  struct stat status{};
  if (::fstat(file, &status) != 0) {
    ::close(file);
    return failed();
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(file);
    return fail("cannot read ", path, ": it is not a file");
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* memory = size ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  ::close(file);
  if (memory == MAP_FAILED) return failed();
  return MappedFile(std::span(static_cast<const std::byte*>(memory), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(other.bytes_) {
  other.bytes_ = {};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace highwater
