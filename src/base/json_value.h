// Reading JSON: a strict reader for files that others wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "highwater/result.h"

namespace highwater {

class JsonValue {
 public:
  using List = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;  // in the order of the file

  JsonValue() = default;  // null
  explicit JsonValue(bool flag) : value_(flag) {}
  explicit JsonValue(double number) : value_(number) {}
  explicit JsonValue(std::string string) : value_(std::move(string)) {}
  explicit JsonValue(List list) : value_(std::move(list)) {}
  explicit JsonValue(Object object) : value_(std::move(object)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  // Each is null, or empty, for a value of another kind.
  const bool* flag() const { return std::get_if<bool>(&value_); }
  const double* number() const { return std::get_if<double>(&value_); }
  const std::string* string() const { return std::get_if<std::string>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  // A number without a fraction that fits 53 bits.
  std::optional<int64_t> integer() const;

  // The member of an object; a null for one that it does not have, and for all that is no object.
  const JsonValue& operator[](std::string_view name) const;

 private:
  std::variant<std::monostate, bool, double, std::string, List, Object> value_;
};

// The one value that `text` is. Errors tell the line and the column.
Result<JsonValue> read_json(std::string_view text);

}  // namespace highwater
