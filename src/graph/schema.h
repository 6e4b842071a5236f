// What an op takes and gives, in torch's own notation:
//
//   aten.cat.default(Tensor[] tensors, int dim=0) -> Tensor
//
// The name is the one that programs use. Types are torch's: `int` is written in the program,
// `SymInt` may be known only when it runs; `Scalar` is a number of either kind, and `float` one
// that is written; Tensor(a!) is a tensor that the op writes into, and as a result it is that
// tensor; a `?` allows none; int[2] is a list of two, or of one that counts for both. FloatTensor
// and IntTensor are tensors of such dtypes alone, the latter with bools. Types of other names (a
// layout, a device) stand for arguments that mean nothing here, and that no op reads.
//
// The compiler reads every schema once: a mistake in one does not compile.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace highwater {

enum class ArgumentKind : uint8_t { Tensor, Int, SymInt, Float, Scalar, Bool, String, Unread };

// Which dtypes a tensor may have.
enum class DTypes : uint8_t { Any, Floats, Ints };

struct Argument {
  std::string_view name;
  std::string_view type;  // as it is written
  ArgumentKind kind = ArgumentKind::Unread;
  DTypes dtypes = DTypes::Any;
  bool is_list = false;
  size_t list_size = 0;      // of a list: how many items it has, 0 if that depends on the call
  bool has_gaps = false;     // of a list: items may be none
  bool is_optional = false;  // may be none
  bool is_mutated = false;
  std::string_view otherwise = {};  // its default as it is written; empty if there is none
};

enum class ResultKind : uint8_t { Tensor, Tensors, SymInt };

namespace schema {

// Not for a constant expression: the compiler stops here, and shows what it was told.
inline void malformed(const char* /*why*/) {}

class Reader {
 public:
  constexpr explicit Reader(std::string_view text) : rest_(text) {}

  constexpr bool take(std::string_view piece) {
    if (!rest_.starts_with(piece)) return false;
    rest_.remove_prefix(piece.size());
    return true;
  }
  constexpr void expect(std::string_view piece) {
    if (!take(piece)) malformed("a piece of punctuation is missing");
  }
  constexpr std::string_view until_any_of(std::string_view ends) {
    size_t length = 0;
    while (length < rest_.size() && ends.find(rest_[length]) == ends.npos) ++length;
    if (length == 0) malformed("a name is missing");
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  constexpr size_t digit() {
    if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') malformed("a digit is missing");
    const auto value = static_cast<size_t>(rest_[0] - '0');
    rest_.remove_prefix(1);
    return value;
  }
  constexpr std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

struct Type {
  std::string_view name;
  ArgumentKind kind;
  DTypes dtypes = DTypes::Any;
};

inline constexpr Type kTypes[] = {
    {"Tensor", ArgumentKind::Tensor},
    {"FloatTensor", ArgumentKind::Tensor, DTypes::Floats},
    {"IntTensor", ArgumentKind::Tensor, DTypes::Ints},
    {"int", ArgumentKind::Int},
    {"SymInt", ArgumentKind::SymInt},
    {"float", ArgumentKind::Float},
    {"Scalar", ArgumentKind::Scalar},
    {"bool", ArgumentKind::Bool},
    {"str", ArgumentKind::String},
};

// "Tensor?[] indices", "int dim=0"
constexpr Argument read_argument(Reader& reader) {
  Argument argument;
  argument.type = reader.until_any_of(" ");
  Reader type(argument.type);
  const std::string_view base = type.until_any_of("?[(");
  for (const Type& known : kTypes) {
    if (known.name != base) continue;
    argument.kind = known.kind;
    argument.dtypes = known.dtypes;
  }
  if (type.take("(")) {
    type.until_any_of("!");
    type.expect("!)");
    argument.is_mutated = true;
  }
  const bool question = type.take("?");
  if (type.take("[")) {
    argument.is_list = true;
    while (!type.take("]")) {
      argument.list_size = 10 * argument.list_size + type.digit();
    }
  }
  argument.has_gaps = argument.is_list && question;
  argument.is_optional = argument.is_list ? type.take("?") : question;
  if (!type.rest().empty()) malformed("a type goes on after its end");
  reader.expect(" ");
  argument.name = reader.until_any_of(",=)");
  if (reader.take("=")) argument.otherwise = reader.until_any_of(",)");
  return argument;
}

}  // namespace schema

class Schema {
 public:
  constexpr explicit Schema(std::string_view text) : text_(text) {
    schema::Reader reader(text_);
    name_ = reader.until_any_of("(");
    reader.expect("(");
    while (!reader.take(")")) {
      if (!arguments_.empty()) reader.expect(", ");
      reader.take("*, ");  // what follows is by keyword in torch
      arguments_.push_back(schema::read_argument(reader));
    }
    reader.expect(" -> ");
    read_results(reader);
    if (!reader.rest().empty()) schema::malformed("the results go on after their end");
  }

  constexpr std::string_view text() const { return text_; }
  constexpr std::string_view name() const { return name_; }
  constexpr std::span<const Argument> arguments() const { return arguments_; }
  constexpr ResultKind result() const { return result_; }
  // Of results that are a list: how many there are, 0 if that depends on the call.
  constexpr size_t result_count() const { return result_count_; }

  // arguments().size() if there is none of this name.
  constexpr size_t position(std::string_view name) const {
    size_t i = 0;
    while (i < arguments_.size() && arguments_[i].name != name) ++i;
    return i;
  }

 private:
  constexpr void read_results(schema::Reader& reader) {
    if (reader.take("SymInt")) {
      result_ = ResultKind::SymInt;
    } else if (reader.take("(")) {
      result_ = ResultKind::Tensors;
      do {
        reader.expect("Tensor");
        if (reader.take("(")) {
          reader.until_any_of("!");
          reader.expect("!)");
        }
        ++result_count_;
      } while (reader.take(", "));
      reader.expect(")");
    } else {
      reader.expect("Tensor");
      if (reader.take("[]")) result_ = ResultKind::Tensors;
    }
  }

  std::string_view text_;
  std::string_view name_;
  std::vector<Argument> arguments_;
  ResultKind result_ = ResultKind::Tensor;
  size_t result_count_ = 0;
};

// A schema as it stands beside an op, known to be well-formed.
struct SchemaText {
  std::string_view text;

  consteval SchemaText(const char* schema) : text(schema) { static_cast<void>(Schema(text)); }
};

}  // namespace highwater
