#include "fuzz/content.h"

#include <limits>

#include "schema_generated.h"

namespace highwater::fuzz {
namespace {

vkgraph::VkDataType schema_type(DType dtype) {
  switch (dtype) {
    case DType::Bool:
      return vkgraph::VkDataType::BOOL;
    case DType::UInt8:
      return vkgraph::VkDataType::UINT8;
    case DType::Int8:
      return vkgraph::VkDataType::INT8;
    case DType::Int32:
      return vkgraph::VkDataType::INT32;
    case DType::Float16:
      return vkgraph::VkDataType::FLOAT16;
    case DType::Float32:
      return vkgraph::VkDataType::FLOAT32;
    case DType::Float64:
      return vkgraph::VkDataType::FLOAT64;
    case DType::Int64:
      return vkgraph::VkDataType::INT64;
  }
  return vkgraph::VkDataType::FLOAT32;
}

struct ToContent {
  BlobContent::Value operator()(const TensorDecl& t) const {
    BlobContent::Tensor tensor{static_cast<int8_t>(schema_type(t.dtype)), {}, -1};
    for (int64_t d : t.dims) tensor.dims.push_back(static_cast<uint32_t>(d));
    if (t.constant) tensor.constant_id = static_cast<int32_t>(*t.constant);
    return tensor;
  }
  BlobContent::Value operator()(const ValueList& list) const {
    return BlobContent::Items{{list.items.begin(), list.items.end()}};
  }
  BlobContent::Value operator()(NullValue) const { return BlobContent::Missing{}; }
  BlobContent::Value operator()(SymInt) const { return BlobContent::SymInt{}; }
  // No op of ours takes one.
  BlobContent::Value operator()(const std::vector<bool>&) const { return BlobContent::Missing{}; }
  template <class Same>
  BlobContent::Value operator()(const Same& same) const {
    return same;
  }
};

}  // namespace

BlobContent content_of(const Program& program) {
  BlobContent content;
  for (const Value& value : program.values) {
    content.values.push_back(std::visit(ToContent{}, value));
  }
  for (const OpCall& call : program.calls) {
    content.calls.push_back({call.name, call.node_id, {call.args.begin(), call.args.end()}});
  }
  content.inputs = program.inputs;
  content.outputs = program.outputs;
  for (const ConstantDecl& constant : program.constants) {
    if (constant.key.empty()) {
      content.constants.push_back({content.bytes.size(), constant.size, std::nullopt});
      content.bytes.insert(content.bytes.end(), constant.inline_bytes.begin(),
                           constant.inline_bytes.end());
    } else {
      content.constants.push_back(
          {std::numeric_limits<uint64_t>::max(), constant.size, constant.key});
    }
  }
  return content;
}

}  // namespace highwater::fuzz
