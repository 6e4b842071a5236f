// Delegate blobs built field by field: a good one, to be broken in any way a test likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace highwater {

using Blob = std::vector<std::byte>;

// What a blob says, with room for what it must not say.
struct BlobContent {
  struct Tensor {
    int8_t dtype;
    std::vector<uint32_t> dims;
    int32_t constant_id = -1;
  };
  struct Items {
    std::vector<int32_t> ids;
  };
  struct SymInt {};
  struct Missing {};  // a value without content
  struct Unknown {};  // a value of a kind that no schema knows yet
  using Value = std::variant<Missing, Unknown, SymInt, Tensor, Items, int64_t, double, bool,
                             std::string, std::vector<int64_t>, std::vector<double>>;
  struct Call {
    std::optional<std::string> name;
    uint32_t node_id;
    std::vector<int32_t> args;
  };
  struct Constant {
    uint64_t offset;
    uint64_t length;
    std::optional<std::string> key;
  };

  std::vector<Value> values;
  std::vector<Call> calls;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  std::vector<Constant> constants;
  std::vector<std::byte> bytes;
};

// y = x + w, with one constant in the blob, one under a key, and a value of every kind.
BlobContent good_content();

Blob make_blob(const BlobContent& content);
// A blob around any bytes in the graph's place.
Blob make_container(std::span<const std::byte> graph, std::span<const std::byte> bytes = {});

// Where the header has its fields.
constexpr size_t kMagicField = 4, kHeaderSizeField = 8, kGraphOffsetField = 10,
                 kGraphSizeField = 14, kBytesOffsetField = 18, kBytesSizeField = 22;

template <class T>
void put(Blob& blob, size_t at, T value) {
  std::memcpy(blob.data() + at, &value, sizeof value);
}

template <class T>
T get(const Blob& blob, size_t at) {
  T value;
  std::memcpy(&value, blob.data() + at, sizeof value);
  return value;
}

}  // namespace highwater
