#include "web/page_file.h"

#include <cstring>

#include "web/exports.h"

namespace highwater::web {

const PageFile::Given* PageFile::find(uint64_t offset, uint64_t count) const {
  for (const Given& given : given_) {
    const uint64_t size = given.bytes.bytes().size();
    if (given.offset <= offset && offset - given.offset <= size &&
        count <= size - (offset - given.offset)) {
      return &given;
    }
  }
  return nullptr;
}

bool PageFile::are_here(uint64_t offset, uint64_t count) const {
  if (count == 0 || find(offset, count)) return true;
  if (!wanted_) wanted_ = {offset, count};
  return false;
}

Status PageFile::read(uint64_t offset, std::span<std::byte> to) const {
  if (to.empty()) return {};
  const Given* given = find(offset, to.size());
  if (!given) {
    if (!wanted_) wanted_ = {offset, to.size()};
    return fail("bytes ", offset, " to ", offset + to.size(), " of the file have not come yet");
  }
  std::memcpy(to.data(), given->bytes.bytes().data() + static_cast<size_t>(offset - given->offset),
              to.size());
  return {};
}

// Served by the page, which goes on with the load when it has brought them there.
extern "C" __attribute__((import_module("highwater"), import_name("place"))) void
highwater_page_place(double offset, double count, void* buffer);

void PageFile::place(uint64_t offset, uint64_t count, void* buffer) const {
  highwater_page_place(static_cast<double>(offset), static_cast<double>(count), buffer);
}

std::optional<PageFile::Part> PageFile::wanted() const {
  return wanted_;
}

void PageFile::give(uint64_t offset, ByteBuffer bytes) {
  given_.push_back({offset, std::move(bytes)});
  wanted_.reset();
}

void PageFile::forget() {
  given_.clear();
  wanted_.reset();
}

namespace {

using SharedFile = std::shared_ptr<PageFile>;

}  // namespace

HIGHWATER_EXPORT(SharedFile*, hw_file_open)
(double size) {
  return new SharedFile(std::make_shared<PageFile>(static_cast<uint64_t>(size)));
}
HIGHWATER_EXPORT(void, hw_file_close)
(SharedFile* file) {
  delete file;
}

// Writes offset and size of what is wanted.
HIGHWATER_EXPORT(int, hw_file_wanted)
(const SharedFile* file, double* part) {
  const auto wanted = (*file)->wanted();
  if (!wanted) return 0;
  part[0] = static_cast<double>(wanted->offset);
  part[1] = static_cast<double>(wanted->size);
  return 1;
}

// Room for bytes that come next; null if there is no memory for so many.
HIGHWATER_EXPORT(std::byte*, hw_file_give)
(SharedFile* file, double offset, double size) {
  auto room = ByteBuffer::make(static_cast<uint64_t>(size));
  if (!room) return hand_out(room.error().message()), nullptr;
  std::byte* memory = room->bytes().data();
  (*file)->give(static_cast<uint64_t>(offset), *std::move(room));
  return memory;
}

HIGHWATER_EXPORT(void, hw_file_forget)
(SharedFile* file) {
  (*file)->forget();
}

}  // namespace highwater::web
