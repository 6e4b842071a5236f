#include "inspect/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace highwater {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

Result<FileBytes> FileBytes::open(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat about{};
  if (file.number < 0 || fstat(file.number, &about) != 0) {
    return fail(path, " cannot be read: ", std::strerror(errno));
  }
  if (!S_ISREG(about.st_mode)) return fail(path, " is not a file");
  if (about.st_size == 0) return fail(path, " is empty");
  const auto size = static_cast<size_t>(about.st_size);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (memory == MAP_FAILED) return fail(path, " cannot be read: ", std::strerror(errno));
  return FileBytes({static_cast<std::byte*>(memory), size});
}

FileBytes::~FileBytes() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

}  // namespace highwater
