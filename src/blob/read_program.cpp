#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "blob/container.h"
#include "blob/definitions.h"
#include "blob/flatbuffer_bytes.h"
#include "blob/program.h"
#include "blob/unpack.h"
#include "schema_generated.h"

namespace highwater {
namespace {

using Bytes = std::span<const std::byte>;

Result<const vkgraph::VkGraph*> verified(const FlatbufferBytes& bytes) {
  if (!bytes.can_hold_identifier() || !vkgraph::VkGraphBufferHasIdentifier(bytes.data())) {
    return fail("the graph is not a VK00 flatbuffer");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!vkgraph::VerifyVkGraphBuffer(verifier)) return fail("the graph's flatbuffer is damaged");
  return vkgraph::GetVkGraph(bytes.data());
}

// What Highwater's own passes call their ops. In a file they would pass for checked ones.
constexpr std::string_view kOwnPrefix = "hw.";

Result<DType> read_dtype(vkgraph::VkDataType type) {
  switch (type) {
    case vkgraph::VkDataType::BOOL:
      return DType::Bool;
    case vkgraph::VkDataType::UINT8:
      return DType::UInt8;
    case vkgraph::VkDataType::INT8:
      return DType::Int8;
    case vkgraph::VkDataType::INT32:
      return DType::Int32;
    case vkgraph::VkDataType::FLOAT16:
      return DType::Float16;
    case vkgraph::VkDataType::FLOAT32:
      return DType::Float32;
    case vkgraph::VkDataType::FLOAT64:
      return DType::Float64;
    case vkgraph::VkDataType::INT64:
      return DType::Int64;
    default:
      return fail("unknown data type ", static_cast<int>(type));
  }
}

class ProgramReader {
 public:
  ProgramReader(const vkgraph::VkGraph& graph, uint64_t graph_bytes, Bytes bytes)
      : graph_(graph), bytes_(bytes), unpack_(graph_bytes) {}

  Result<Program> read() {
    HW_CHECK(read_constants());
    HW_CHECK(read_values());
    HW_CHECK(read_calls());
    HW_TRY(program_.inputs, read_ids(graph_.input_ids(), "input"));
    HW_TRY(program_.outputs, read_ids(graph_.output_ids(), "output"));
    HW_CHECK(check_definitions(program_));
    return std::move(program_);
  }

 private:
  Status read_constants() {
    return unpack_.each(graph_.constants(), [&](uint32_t i, const vkgraph::VkBytes& entry) {
      return read_constant(i, entry);
    });
  }

  Status read_constant(uint32_t i, const vkgraph::VkBytes& entry) {
    ConstantDecl constant;
    constant.size = entry.length();
    if (entry.offset() == std::numeric_limits<uint64_t>::max()) {
      HW_TRY(constant.key, unpack_.name(entry.named_key()));
      if (constant.key.empty()) {
        return fail("constant ", i, " has neither bytes in the blob nor a key");
      }
    } else {
      if (entry.offset() > bytes_.size() || entry.length() > bytes_.size() - entry.offset()) {
        return fail("constant ", i, " (offset ", entry.offset(), ", ", entry.length(),
                    " bytes) lies outside the blob's ", bytes_.size(), " bytes of data");
      }
      constant.inline_bytes =
          bytes_.subspan(static_cast<size_t>(entry.offset()), static_cast<size_t>(entry.length()));
    }
    program_.constants.push_back(std::move(constant));
    return {};
  }

  Status read_values() {
    const size_t count = graph_.values() ? graph_.values()->size() : 0;
    program_.values.reserve(count);
    HW_CHECK(
        unpack_.each(graph_.values(), [&](uint32_t i, const vkgraph::VkValue& entry) -> Status {
          auto value = read_value(entry, count);
          if (!value) return value.take_error().within(text("value ", i));
          program_.values.push_back(*std::move(value));
          return {};
        }));
    return check_lists();
  }

  Result<Value> read_value(const vkgraph::VkValue& entry, size_t count) {
    if (!entry.value()) return Value(NullValue{});
    switch (entry.value_type()) {
      case vkgraph::GraphTypes::Null:
        return Value(NullValue{});
      case vkgraph::GraphTypes::Int:
        return Value(entry.value_as_Int()->int_val());
      case vkgraph::GraphTypes::Double:
        return Value(entry.value_as_Double()->double_val());
      case vkgraph::GraphTypes::Bool:
        return Value(entry.value_as_Bool()->bool_val());
      case vkgraph::GraphTypes::SymInt:
        return Value(SymInt{});
      case vkgraph::GraphTypes::String: {
        HW_TRY(std::string string, unpack_.name(entry.value_as_String()->string_val()));
        return Value(std::move(string));
      }
      case vkgraph::GraphTypes::IntList:
        return read_list<int64_t>(entry.value_as_IntList()->items());
      case vkgraph::GraphTypes::DoubleList:
        return read_list<double>(entry.value_as_DoubleList()->items());
      case vkgraph::GraphTypes::BoolList:
        return read_list<bool>(entry.value_as_BoolList()->items());
      case vkgraph::GraphTypes::ValueList:
        return read_value_list(*entry.value_as_ValueList(), count);
      case vkgraph::GraphTypes::VkTensor:
        return read_tensor(*entry.value_as_VkTensor());
      default:
        return fail("unknown kind ", static_cast<int>(entry.value_type()));
    }
  }

  template <class T, class Items>
  Result<Value> read_list(const Items* items) {
    HW_TRY(std::vector<T> list, unpack_.list<T>(items));
    return Value(std::move(list));
  }

  Result<Value> read_value_list(const vkgraph::ValueList& entry, size_t count) {
    HW_TRY(const std::vector<int64_t> items, unpack_.list<int64_t>(entry.items()));
    ValueList list;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i] < 0 || static_cast<uint64_t>(items[i]) >= count) {
        return fail("item ", i, " of its list is value ", items[i], ", but there are ", count);
      }
      list.items.push_back(static_cast<ValueId>(items[i]));
    }
    return Value(std::move(list));
  }

  Result<Value> read_tensor(const vkgraph::VkTensor& entry) {
    TensorDecl tensor;
    HW_TRY(tensor.dtype, read_dtype(entry.datatype()));
    HW_TRY(const std::vector<int64_t> dims, unpack_.list<int64_t>(entry.dims()));
    HW_TRY(tensor.dims, Dims::make(dims));
    if (entry.constant_id() >= 0) {
      const auto id = static_cast<uint32_t>(entry.constant_id());
      if (id >= program_.constants.size()) {
        return fail("its data is constant ", id, ", but there are ", program_.constants.size());
      }
      const uint64_t wanted = static_cast<uint64_t>(tensor.dims.numel()) * byte_size(tensor.dtype);
      if (program_.constants[id].size < wanted) {
        return fail(tensor.dtype, " tensor ", tensor.dims, " needs ", wanted,
                    " bytes, but constant ", id, " has ", program_.constants[id].size);
      }
      tensor.constant = id;
    }
    return Value(std::move(tensor));
  }

  // A list inside a list could loop; no exporter writes one.
  Status check_lists() {
    for (size_t i = 0; i < program_.values.size(); ++i) {
      const auto* list = std::get_if<ValueList>(&program_.values[i]);
      if (!list) continue;
      for (ValueId item : list->items) {
        if (std::holds_alternative<ValueList>(program_.values[item])) {
          return fail("value ", i, " is a list that holds the list ", item);
        }
      }
    }
    return {};
  }

  Status read_calls() {
    return unpack_.each(graph_.chain(), [&](uint32_t i, const vkgraph::OperatorCall& entry) {
      return read_call(i, entry);
    });
  }

  Status read_call(uint32_t i, const vkgraph::OperatorCall& entry) {
    OpCall call;
    HW_TRY(call.name, unpack_.name(entry.name()));
    if (call.name.empty()) return fail("call ", i, " has no op name");
    if (call.name.starts_with(kOwnPrefix)) {
      return fail("call ", i, " is of ", call.name, ": names that begin with ", kOwnPrefix,
                  " are Highwater's own, and no exporter writes them");
    }
    call.node_id = entry.node_id();
    HW_TRY(const std::vector<int64_t> args, unpack_.list<int64_t>(entry.args()));
    for (size_t k = 0; k < args.size(); ++k) {
      if (args[k] < 0 || static_cast<uint64_t>(args[k]) >= program_.values.size()) {
        return fail("call ", i, " of ", call.name, ": argument ", k, " is value ", args[k],
                    ", but there are ", program_.values.size());
      }
      call.args.push_back(static_cast<ValueId>(args[k]));
      // Whoever looks at a call looks at all of its lists, whatever other calls share them.
      HW_CHECK(unpack_.take(bytes_of(program_.values[call.args.back()])));
    }
    program_.calls.push_back(std::move(call));
    return {};
  }

  static uint64_t bytes_of(const Value& value) {
    if (const auto* list = std::get_if<ValueList>(&value))
      return list->items.size() * sizeof(ValueId);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      return list->size() * sizeof(int64_t);
    }
    const auto* string = std::get_if<std::string>(&value);
    return string ? string->size() : 0;
  }

  Result<std::vector<ValueId>> read_ids(const flatbuffers::Vector<uint32_t>* stored,
                                        std::string_view what) {
    HW_TRY(std::vector<ValueId> ids, unpack_.list<ValueId>(stored));
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] >= program_.values.size()) {
        return fail(what, " ", i, " is value ", ids[i], ", but there are ", program_.values.size());
      }
      const Value& value = program_.values[ids[i]];
      if (!std::holds_alternative<TensorDecl>(value) && !std::holds_alternative<SymInt>(value)) {
        return fail(what, " ", i, " is value ", ids[i], " of kind ", kind_name(value),
                    "; a tensor or a SymInt is wanted");
      }
    }
    return ids;
  }

  const vkgraph::VkGraph& graph_;
  Bytes bytes_;
  Unpacker unpack_;
  Program program_;
};

}  // namespace

std::string_view kind_name(const Value& value) {
  constexpr std::string_view kNames[] = {"Null",      "Int",     "Double",     "Bool",
                                         "String",    "IntList", "DoubleList", "BoolList",
                                         "ValueList", "SymInt",  "Tensor"};
  static_assert(std::size(kNames) == std::variant_size_v<Value>);
  return kNames[value.index()];
}

Result<Program> read_program(Bytes blob) {
  HW_TRY(const Container container, open_container(blob));
  const FlatbufferBytes bytes(container.flatbuffer);
  HW_TRY(const auto* graph, verified(bytes));
  return ProgramReader(*graph, container.flatbuffer.size(), container.bytes).read();
}

}  // namespace highwater
