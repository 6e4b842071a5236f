#include "graph/args.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/checked.h"
#include "graph/graph.h"

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
  double number = 0;
  const auto read = std::from_chars(written.data(), written.data() + written.size(), number);
  if (read.ec != std::errc()) return NullValue{};
  return number;
}

std::optional<std::string> as_string(const Value& value) {
  const auto* s = std::get_if<std::string>(&value);
  return s ? std::optional(*s) : std::nullopt;
}

bool has_dtype(DTypes wanted, DType dtype) {
  return wanted == DTypes::Any || is_float(dtype) == (wanted == DTypes::Floats);
}

constexpr auto kTensors = {ArgumentKind::Tensor};
constexpr auto kIntegers = {ArgumentKind::Int, ArgumentKind::Bool};
constexpr auto kNumbers = {ArgumentKind::Float, ArgumentKind::Scalar, ArgumentKind::Int};
constexpr auto kLive = {ArgumentKind::SymInt, ArgumentKind::Scalar};

}  // namespace

Args::Args(Graph& graph, uint32_t node, const Program& program, const OpCall& call,
           const Schema& schema)
    : graph_(graph), node_(node), program_(program), call_(call), schema_(schema) {
  // The last argument of a call is what it makes.
  if (call.args.empty() || call.args.size() > schema.arguments().size() + 1) {
    refuse(fail("it has ", call.args.size(), " arguments, the result included, as a call of ",
                schema.text(), " cannot have"));
  }
}

Node& Args::node() const {
  return graph_.nodes[node_];
}

Args::Given Args::find(std::string_view name, std::initializer_list<ArgumentKind> kinds,
                       bool is_list) {
  const size_t i = schema_.position(name);
  if (i == schema_.arguments().size()) {
    refuse(fail("it reads an argument '", name, "', which is not in ", schema_.text()));
    return {name, {}, std::nullopt};
  }
  const Argument& argument = schema_.arguments()[i];
  if (argument.is_list != is_list ||
      std::find(kinds.begin(), kinds.end(), argument.kind) == kinds.end()) {
    refuse(fail("it reads its argument '", name, "' as something else than ", argument.type));
    return {name, {}, std::nullopt};
  }
  const bool has_default = argument.otherwise != "None";
  Given given{name, has_default ? argument.otherwise : "", std::nullopt, argument.dtypes,
              argument.list_size};
  const bool is_given = i + 1 < call_.args.size();
  if (is_given &&
      !(is_null(call_.args[i]) && (argument.is_optional || !argument.otherwise.empty()))) {
    given.id = call_.args[i];
  }
  return given;
}

std::optional<ValueId> Args::need(const Given& given) {
  if (!given.id) {
    refuse(fail("argument '", given.name, "' is missing; it has ", call_.args.size(),
                " arguments, the result included"));
  }
  return given.id;
}

bool Args::is_null(std::string_view name) {
  const size_t i = schema_.position(name);
  return i + 1 >= call_.args.size() || is_null(call_.args[i]);
}

bool Args::is_live(std::string_view name) {
  return !is_null(name) &&
         graph_.values[call_.args[schema_.position(name)]].kind == ValueInfo::Kind::Scalar;
}

void Args::refuse(Error error) {
  if (!error_) error_ = std::move(error);
}

void Args::refuse_kind(std::string_view name, ValueId id, std::string_view wanted) {
  refuse(fail("argument '", name, "' is of kind ", kind_name(program_.values[id]), "; ", wanted,
              " is wanted"));
}

Status Args::finish() {
  if (error_) return *std::move(error_);
  return {};
}

void Args::note_read(ValueId id) {
  node().reads.push_back(id);
  graph_.values[id].readers.push_back(node_);
}

void Args::note_write(ValueId id) {
  ValueInfo& info = graph_.values[id];
  if (info.defined) {
    refuse(fail("it writes ", graph_.describe(id), ", which already has a value"));
    return;
  }
  info.defined = true;
  node().writes.push_back(id);
}

std::optional<Tensor> Args::read_tensor(const Given& given, ValueId id) {
  const ValueInfo& value = graph_.values[id];
  if (value.kind != ValueInfo::Kind::Tensor) {
    refuse_kind(given.name, id, "a tensor");
    return std::nullopt;
  }
  if (!value.defined) {
    refuse(fail("it reads ", graph_.describe(id), ", which nothing has written"));
    return std::nullopt;
  }
  if (!has_dtype(given.dtypes, value.tensor.dtype)) {
    refuse(fail("argument '", given.name, "', ", graph_.describe(id), ", must be of ",
                given.dtypes == DTypes::Floats ? "a float" : "an integer", " dtype"));
    return std::nullopt;
  }
  note_read(id);
  return Tensor{id};
}

Tensor Args::tensor(std::string_view name) {
  const Given given = find(name, kTensors, false);
  const auto id = need(given);
  return id ? read_tensor(given, *id).value_or(Tensor{}) : Tensor{};
}

std::optional<Tensor> Args::optional_tensor(std::string_view name) {
  const Given given = find(name, kTensors, false);
  return given.id ? read_tensor(given, *given.id) : std::nullopt;
}

std::vector<Tensor> Args::tensors(std::string_view name) {
  std::vector<Tensor> result;
  for (const auto& t : optional_tensors(name)) {
    if (!t) {
      refuse(fail("argument '", name, "' has a gap among its tensors"));
      return {};
    }
    result.push_back(*t);
  }
  return result;
}

std::vector<std::optional<Tensor>> Args::optional_tensors(std::string_view name) {
  const Given given = find(name, kTensors, true);
  const auto id = need(given);
  if (!id) return {};
  const auto* list = std::get_if<ValueList>(&program_.values[*id]);
  if (!list) {
    refuse_kind(name, *id, "a list of tensors");
    return {};
  }
  std::vector<std::optional<Tensor>> result;
  for (ValueId item : list->items) {
    result.push_back(is_null(item) ? std::nullopt : read_tensor(given, item));
  }
  return result;
}

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

std::optional<ValueId> Args::result(ResultKind kind) {
  if (kind != schema_.result()) refuse(fail("its result is another than that of ", schema_.text()));
  if (error_ || call_.args.empty()) return std::nullopt;
  return call_.args.back();
}

std::optional<Tensor> Args::written_tensor(ValueId id) {
  if (graph_.values[id].kind != ValueInfo::Kind::Tensor) {
    refuse(fail("its result is of kind ", kind_name(program_.values[id]), "; a tensor is wanted"));
    return std::nullopt;
  }
  note_write(id);
  return Tensor{id};
}

Tensor Args::out() {
  const auto id = result(ResultKind::Tensor);
  return id ? written_tensor(*id).value_or(Tensor{}) : Tensor{};
}

std::vector<Tensor> Args::outs() {
  // An op of a fixed number of results may count on them.
  std::vector<Tensor> missing(schema_.result_count());
  const auto id = result(ResultKind::Tensors);
  if (!id) return missing;
  const auto* list = std::get_if<ValueList>(&program_.values[*id]);
  if (!list || (!missing.empty() && list->items.size() != missing.size())) {
    refuse(fail("its results are ", list ? text(list->items.size()) : "not a list",
                "; wanted are those of ", schema_.text()));
    return missing;
  }
  std::vector<Tensor> results;
  for (ValueId item : list->items) {
    const auto t = written_tensor(item);
    if (!t) return missing;
    results.push_back(*t);
  }
  return results;
}

Scalar Args::out_scalar() {
  const auto id = result(ResultKind::SymInt);
  if (!id) return {};
  if (graph_.values[*id].kind != ValueInfo::Kind::Scalar) {
    refuse(fail("its result is of kind ", kind_name(program_.values[*id]), "; a SymInt is wanted"));
    return {};
  }
  note_write(*id);
  return {*id};
}

Tensor Args::mutated(std::string_view name) {
  const Tensor t = tensor(name);
  if (t.id != kNoValue && !graph_.values[t.id].mutated) {
    refuse(fail("its schema does not say that it writes into argument '", name, "'"));
  }
  return t;
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

DType Args::dtype(Tensor t) const {
  return t.id == kNoValue ? DType::Float32 : graph_.tensor(t).device_dtype();
}

Dims Args::bound(Tensor t) const {
  return t.id == kNoValue ? Dims() : graph_.tensor(t).dims;
}

bool Args::is_constant(Tensor t) const {
  return t.id != kNoValue && graph_.tensor(t).constant.has_value();
}

bool Args::is_own_constant(Tensor t) const {
  return is_constant(t) && graph_.values[t.id].calls == 1 && !graph_.values[t.id].mutated;
}

int64_t Args::last_dim(std::string_view name) {
  const Given given = find(name, kTensors, false);
  if (!given.id || graph_.values[*given.id].kind != ValueInfo::Kind::Tensor) return 0;
  return graph_.values[*given.id].tensor.dims.back();
}

const DeviceTraits& Args::traits() const {
  return graph_.traits;
}

}  // namespace highwater
