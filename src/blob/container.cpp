#include "blob/container.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace highwater {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kMagic = "VH00";
constexpr size_t kMagicAt = 4;
constexpr size_t kContainerHeaderSize = 30;

template <class T>
T read_at(Bytes blob, size_t at) {
  T value;
  std::memcpy(&value, blob.data() + at, sizeof value);
  return value;
}

Result<Bytes> region(Bytes blob, std::string_view what, uint64_t offset, uint64_t size) {
  if (offset > blob.size() || size > blob.size() - offset) {
    return fail("blob header: the ", what, " (offset ", offset, ", ", size,
                " bytes) lies outside the blob of ", blob.size(), " bytes");
  }
  return blob.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
}

}  // namespace

Result<Container> open_container(Bytes blob) {
  if (blob.size() < kContainerHeaderSize) {
    return fail("the blob has ", blob.size(), " bytes; its header alone needs ",
                kContainerHeaderSize);
  }
  if (std::memcmp(blob.data() + kMagicAt, kMagic.data(), kMagic.size()) != 0) {
    return fail("the blob does not start with a ", kMagic,
                " header: it was not exported by VulkanPartitioner or WebGPUPartitioner");
  }
  const auto header_size = read_at<uint16_t>(blob, 8);
  if (header_size < kContainerHeaderSize) {
    return fail("blob header: it says it has ", header_size, " bytes; ", kContainerHeaderSize,
                " are needed");
  }
  Container result;
  HW_TRY(result.flatbuffer,
         region(blob, "graph", read_at<uint32_t>(blob, 10), read_at<uint32_t>(blob, 14)));
  HW_TRY(result.bytes,
         region(blob, "constant data", read_at<uint32_t>(blob, 18), read_at<uint64_t>(blob, 22)));
  return result;
}

}  // namespace highwater
