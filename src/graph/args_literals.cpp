// Arguments that are numbers, strings and lists of them: written in the program, left to the
// schema's default, or live.
#include <cmath>

#include "graph/args.h"
#include "graph/graph.h"
#include "platform/number.h"

namespace highwater {
namespace {

// A literal number as a double or an integer, whichever kind it was stored as.
std::optional<double> as_number(const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 1.0 : 0.0;
  return std::nullopt;
}

std::optional<int64_t> as_integer(const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  const auto number = as_number(value);
  if (!number || std::trunc(*number) != *number || std::fabs(*number) >= 0x1p63) {
    return std::nullopt;
  }
  return static_cast<int64_t>(*number);
}

// A schema's default, such as -1, 0.5, True, [] or "none".
Value as_value(std::string_view written) {
  if (written == "True" || written == "False") return written == "True";
  if (written == "[]") return std::vector<int64_t>();
  if (written.starts_with('"')) return std::string(written.substr(1, written.size() - 2));
  if (const auto number = read_number(written)) return *number;
  return NullValue{};
}

std::optional<std::string> as_string(const Value& value) {
  const auto* s = std::get_if<std::string>(&value);
  return s ? std::optional(*s) : std::nullopt;
}

constexpr auto kIntegers = {ArgumentKind::Int, ArgumentKind::Bool};
constexpr auto kNumbers = {ArgumentKind::Float, ArgumentKind::Scalar, ArgumentKind::Int};
constexpr auto kLive = {ArgumentKind::SymInt, ArgumentKind::Scalar};

}  // namespace

std::optional<LiveInt> Args::as_live_integer(ValueId id) {
  const ValueInfo& info = graph_.values[id];
  if (info.kind == ValueInfo::Kind::Scalar) {
    if (!info.defined) {
      refuse(fail("it reads scalar ", id, ", which nothing has written"));
      return std::nullopt;
    }
    note_read(id);
    return LiveInt{0, id};
  }
  const auto literal = as_integer(program_.values[id]);
  if (!literal) return std::nullopt;
  return LiveInt{*literal, kNoValue};
}

LiveInt Args::live_integer(std::string_view name) {
  const Given given = find(name, kLive, false);
  if (!given.id && !given.otherwise.empty()) {
    return {as_integer(as_value(given.otherwise)).value_or(0), kNoValue};
  }
  const auto id = need(given);
  if (!id) return {};
  const auto result = as_live_integer(*id);
  if (!result) refuse_kind(name, *id, "an integer");
  return result.value_or(LiveInt{});
}

LiveInts Args::live_integers(std::string_view name) {
  const Given given = find(name, {ArgumentKind::SymInt, ArgumentKind::Int}, true);
  if (!given.id && given.otherwise == "[]") return {};
  if (!given.id && !given.otherwise.empty()) {
    const int64_t literal = as_integer(as_value(given.otherwise)).value_or(0);
    return LiveInts(given.list_size, LiveInt{literal, kNoValue});
  }
  const auto id = need(given);
  if (!id) return {};
  const Value& v = program_.values[*id];
  LiveInts result;
  if (const auto* literals = std::get_if<std::vector<int64_t>>(&v)) {
    for (int64_t literal : *literals) result.push_back({literal, kNoValue});
  } else if (const auto* list = std::get_if<ValueList>(&v)) {
    for (ValueId item : list->items) {
      const auto entry = as_live_integer(item);
      if (!entry) {
        refuse_kind(name, item, "a list of integers");
        return {};
      }
      result.push_back(*entry);
    }
  } else {
    refuse_kind(name, *id, "a list of integers");
  }
  if (given.list_size == 0 || result.empty()) return result;
  if (result.size() == 1) result.resize(given.list_size, result[0]);
  if (result.size() != given.list_size) {
    refuse(fail("argument '", name, "' has ", result.size(), " numbers; ", given.list_size,
                " are wanted"));
    result.resize(given.list_size);
  }
  return result;
}

template <class T>
T Args::literal(const Given& given, std::optional<T> (*read)(const Value&),
                std::string_view wanted) {
  if (!given.id && !given.otherwise.empty()) return read(as_value(given.otherwise)).value_or(T{});
  const auto id = need(given);
  if (!id) return {};
  std::optional<T> result = read(program_.values[*id]);
  if (!result) refuse_kind(given.name, *id, wanted);
  return std::move(result).value_or(T{});
}

int64_t Args::integer(std::string_view name) {
  return literal(find(name, kIntegers, false), &as_integer, "an integer");
}

double Args::number(std::string_view name) {
  return literal(find(name, kNumbers, false), &as_number, "a number");
}

double Args::number_or(std::string_view name, double otherwise) {
  const Given given = find(name, kNumbers, false);
  return given.id || !given.otherwise.empty() ? number(name) : otherwise;
}

bool Args::flag(std::string_view name) {
  return integer(name) != 0;
}

std::string Args::string(std::string_view name) {
  return literal(find(name, {ArgumentKind::String}, false), &as_string, "a string");
}

std::vector<int64_t> Args::integers(std::string_view name) {
  std::vector<int64_t> result;
  for (const LiveInt& entry : live_integers(name)) {
    if (entry.is_live()) {
      refuse(fail("argument '", name, "' must be known at export"));
    }
    result.push_back(entry.literal);
  }
  return result;
}

std::vector<double> Args::numbers(std::string_view name) {
  const auto id = need(find(name, {ArgumentKind::Float}, true));
  if (!id) return {};
  const Value& v = program_.values[*id];
  if (const auto* integers = std::get_if<std::vector<int64_t>>(&v)) {
    return {integers->begin(), integers->end()};
  }
  if (const auto* numbers = std::get_if<std::vector<double>>(&v)) return *numbers;
  refuse_kind(name, *id, "a list of numbers");
  return {};
}

}  // namespace highwater
