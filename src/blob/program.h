// A delegate's program as plain, checked structs: what every later room builds on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/byte_source.h"
#include "blob/signature.h"
#include "highwater/dims.h"
#include "highwater/dtype.h"
#include "highwater/result.h"

namespace highwater {

using ValueId = uint32_t;

// A tensor at its upper bound: `dims` are the largest live dims it will ever have.
struct TensorDecl {
  DType dtype = DType::Float32;
  Dims dims;
  std::optional<uint32_t> constant;  // index into Program::constants

  bool halved = false;  // float32 that the device keeps as float16

  // On the device every element keeps this width.
  DType device_dtype() const { return halved ? DType::Float16 : highwater::device_dtype(dtype); }
};

struct NullValue {};
// A live scalar: known only when the program runs.
struct SymInt {};
struct ValueList {
  std::vector<ValueId> items;
};

using Value = std::variant<NullValue, int64_t, double, bool, std::string, std::vector<int64_t>,
                           std::vector<double>, std::vector<bool>, ValueList, SymInt, TensorDecl>;

// What kind of value this is, for messages: "Int", "Tensor", …
std::string_view kind_name(const Value& value);

struct OpCall {
  std::string name;
  uint32_t node_id = 0;  // the exporter's number, for messages
  std::vector<ValueId> args;
};

// Where a constant's bytes are: in the blob itself, or under a key in the program's named data. Or
// it is made of other constants: of each row by row, side by side.
struct ConstantDecl {
  struct Part {
    uint32_t constant;
    uint64_t row_bytes;
  };

  std::string key;
  std::span<const std::byte> inline_bytes;
  uint64_t size = 0;
  std::vector<Part> parts;
  uint64_t rows = 0;
};

struct Program {
  std::vector<Value> values;
  std::vector<OpCall> calls;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<ConstantDecl> constants;
  Signature signature;  // of the first inputs, as far as it is known
  // What inline constants refer to, where nobody else keeps it.
  std::shared_ptr<const ByteBuffer> blob;
};

// Reads and checks a whole blob (VH00 header, VK00 flatbuffer, raw bytes). Afterwards every id is
// in range, every dims product fits, every value is written once and before it is read, and every
// inline constant lies inside the blob, which the Program refers to and must not outlive.
Result<Program> read_program(std::span<const std::byte> blob);

}  // namespace highwater
