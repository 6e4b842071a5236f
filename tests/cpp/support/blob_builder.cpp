#include "support/blob_builder.h"

#include <limits>

#include "schema_generated.h"

namespace highwater {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr size_t kHeaderSize = 30, kGraphAt = 32;
constexpr uint64_t kNamed = std::numeric_limits<uint64_t>::max();

struct Written {
  vkgraph::GraphTypes type = vkgraph::GraphTypes::NONE;
  Offset<void> content;
};

// Writes each kind of value.
struct WriteValue {
  FlatBufferBuilder& b;

  Written operator()(BlobContent::Missing) const { return {}; }
  Written operator()(BlobContent::Unknown) const {
    return {static_cast<vkgraph::GraphTypes>(99), vkgraph::CreateNull(b).Union()};
  }
  Written operator()(BlobContent::SymInt) const {
    return {vkgraph::GraphTypes::SymInt, vkgraph::CreateSymInt(b, 0).Union()};
  }
  Written operator()(const BlobContent::Tensor& t) const {
    const auto type = static_cast<vkgraph::VkDataType>(t.dtype);
    return {vkgraph::GraphTypes::VkTensor,
            vkgraph::CreateVkTensor(b, type, b.CreateVector(t.dims), t.constant_id, -1).Union()};
  }
  Written operator()(const BlobContent::Items& list) const {
    return {vkgraph::GraphTypes::ValueList,
            vkgraph::CreateValueList(b, b.CreateVector(list.ids)).Union()};
  }
  Written operator()(int64_t number) const {
    return {vkgraph::GraphTypes::Int, vkgraph::CreateInt(b, number).Union()};
  }
  Written operator()(double number) const {
    return {vkgraph::GraphTypes::Double, vkgraph::CreateDouble(b, number).Union()};
  }
  Written operator()(bool flag) const {
    return {vkgraph::GraphTypes::Bool, vkgraph::CreateBool(b, flag).Union()};
  }
  Written operator()(const std::string& text) const {
    return {vkgraph::GraphTypes::String, vkgraph::CreateString(b, b.CreateString(text)).Union()};
  }
  Written operator()(const std::vector<int64_t>& items) const {
    return {vkgraph::GraphTypes::IntList, vkgraph::CreateIntList(b, b.CreateVector(items)).Union()};
  }
  Written operator()(const std::vector<double>& items) const {
    return {vkgraph::GraphTypes::DoubleList,
            vkgraph::CreateDoubleList(b, b.CreateVector(items)).Union()};
  }
};

Offset<flatbuffers::String> write_string(FlatBufferBuilder& b,
                                         const std::optional<std::string>& text) {
  return text ? b.CreateString(*text) : Offset<flatbuffers::String>();
}

void write_graph(FlatBufferBuilder& b, const BlobContent& content) {
  std::vector<Offset<vkgraph::VkValue>> values;
  for (const BlobContent::Value& value : content.values) {
    const Written written = std::visit(WriteValue{b}, value);
    values.push_back(vkgraph::CreateVkValue(b, written.type, written.content));
  }
  std::vector<Offset<vkgraph::OperatorCall>> calls;
  for (const BlobContent::Call& call : content.calls) {
    const auto name = write_string(b, call.name);
    calls.push_back(vkgraph::CreateOperatorCall(b, call.node_id, name, b.CreateVector(call.args)));
  }
  std::vector<Offset<vkgraph::VkBytes>> constants;
  for (const BlobContent::Constant& c : content.constants) {
    constants.push_back(vkgraph::CreateVkBytes(b, c.offset, c.length, write_string(b, c.key)));
  }
  const auto graph = vkgraph::CreateVkGraph(
      b, b.CreateString("0"), b.CreateVector(calls), b.CreateVector(values),
      b.CreateVector(content.inputs), b.CreateVector(content.outputs), b.CreateVector(constants));
  vkgraph::FinishVkGraphBuffer(b, graph);
}

}  // namespace

BlobContent good_content() {
  BlobContent c;
  const auto f32 = static_cast<int8_t>(vkgraph::VkDataType::FLOAT32);
  const auto i64 = static_cast<int8_t>(vkgraph::VkDataType::INT64);
  c.values = {
      BlobContent::Tensor{f32, {4, 8}},     // 0: x
      BlobContent::Tensor{f32, {8}, 0},     // 1: w, in the blob
      BlobContent::Tensor{i64, {2, 2}, 1},  // 2: under a key
      BlobContent::Tensor{f32, {4, 8}},     // 3: y
      int64_t{-7},
      2.5,
      true,
      std::string("tanh"),
      std::vector<int64_t>{4, -1},
      std::vector<double>{0.5},
      BlobContent::SymInt{},           // 10
      BlobContent::Items{{10, 4, 0}},  // 11
      BlobContent::Missing{},          // 12: null
  };
  c.calls = {{"sym_size.int", 3, {0, 4, 10}}, {"aten.add.Tensor", 17, {0, 1, 4, 3}}};
  c.inputs = {0};
  c.outputs = {3, 10};
  c.constants = {{16, 32, std::nullopt}, {kNamed, 32, "sha256-of-it"}};
  c.bytes.resize(48);
  for (size_t i = 0; i < c.bytes.size(); ++i) c.bytes[i] = static_cast<std::byte>(i);
  return c;
}

Blob make_container(std::span<const std::byte> graph, std::span<const std::byte> bytes) {
  const size_t bytes_at = (kGraphAt + graph.size() + 15) / 16 * 16;
  Blob blob(bytes_at + bytes.size());
  std::memcpy(blob.data() + kMagicField, "VH00", 4);
  put(blob, kHeaderSizeField, static_cast<uint16_t>(kHeaderSize));
  put(blob, kGraphOffsetField, static_cast<uint32_t>(kGraphAt));
  put(blob, kGraphSizeField, static_cast<uint32_t>(graph.size()));
  put(blob, kBytesOffsetField, static_cast<uint32_t>(bytes_at));
  put(blob, kBytesSizeField, static_cast<uint64_t>(bytes.size()));
  std::memcpy(blob.data() + kGraphAt, graph.data(), graph.size());
  if (!bytes.empty()) std::memcpy(blob.data() + bytes_at, bytes.data(), bytes.size());
  return blob;
}

Blob make_blob(const BlobContent& content) {
  FlatBufferBuilder b;
  write_graph(b, content);
  return make_container({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()},
                        content.bytes);
}

}  // namespace highwater
