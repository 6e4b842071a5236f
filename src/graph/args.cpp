#include "graph/args.h"

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

}  // namespace

Args::Args(Graph& graph, uint32_t node, const Program& program, const OpCall& call)
    : graph_(graph), node_(node), program_(program), call_(call) {}

Node& Args::node() const {
  return graph_.nodes[node_];
}

const Value& Args::value(size_t i) {
  static const Value kNothing = NullValue{};
  if (i < size()) return program_.values[id(i)];
  refuse(fail("it has ", size(), " arguments; argument ", i, " is missing"));
  return kNothing;
}

bool Args::is_null(size_t i) const {
  return i >= size() || std::holds_alternative<NullValue>(program_.values[id(i)]);
}

bool Args::is_live(size_t i) const {
  return i < size() && graph_.values[id(i)].kind == ValueInfo::Kind::Scalar;
}

void Args::refuse(Error error) {
  if (!error_) error_ = std::move(error);
}

void Args::refuse_kind(size_t i, std::string_view wanted) {
  if (i < size()) {
    refuse(fail("argument ", i, " is of kind ", kind_name(program_.values[id(i)]), "; ", wanted,
                " is wanted"));
  }
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

std::optional<Tensor> Args::as_tensor(size_t i, ValueId id) {
  if (graph_.values[id].kind != ValueInfo::Kind::Tensor) {
    refuse_kind(i, "a tensor");
    return std::nullopt;
  }
  return Tensor{id};
}

Tensor Args::tensor(size_t i) {
  value(i);
  if (i >= size()) return {};
  const auto t = as_tensor(i, id(i));
  if (!t) return {};
  if (!graph_.values[t->id].defined) {
    refuse(fail("it reads ", graph_.describe(t->id), ", which nothing has written"));
    return {};
  }
  note_read(t->id);
  return *t;
}

std::optional<Tensor> Args::optional_tensor(size_t i) {
  if (is_null(i)) return std::nullopt;
  return tensor(i);
}

std::vector<Tensor> Args::tensors(size_t i) {
  std::vector<Tensor> result;
  for (const auto& t : optional_tensors(i)) {
    if (!t) {
      refuse_kind(i, "a list of tensors");
      return {};
    }
    result.push_back(*t);
  }
  return result;
}

std::vector<std::optional<Tensor>> Args::optional_tensors(size_t i) {
  const auto* list = std::get_if<ValueList>(&value(i));
  if (!list) {
    refuse_kind(i, "a list of tensors");
    return {};
  }
  std::vector<std::optional<Tensor>> result;
  for (ValueId item : list->items) {
    if (std::holds_alternative<NullValue>(program_.values[item])) {
      result.push_back(std::nullopt);
      continue;
    }
    const auto t = as_tensor(i, item);
    if (!t) return {};
    if (!graph_.values[item].defined) {
      refuse(fail("it reads ", graph_.describe(item), ", which nothing has written"));
      return {};
    }
    note_read(item);
    result.push_back(t);
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

LiveInt Args::live_integer(size_t i) {
  value(i);
  if (i >= size()) return {};
  const auto result = as_live_integer(id(i));
  if (!result) refuse_kind(i, "an integer");
  return result.value_or(LiveInt{});
}

LiveInts Args::live_integers(size_t i) {
  const Value& v = value(i);
  LiveInts result;
  if (const auto* literals = std::get_if<std::vector<int64_t>>(&v)) {
    for (int64_t literal : *literals) result.push_back({literal, kNoValue});
  } else if (const auto* list = std::get_if<ValueList>(&v)) {
    for (ValueId item : list->items) {
      const auto entry = as_live_integer(item);
      if (!entry) {
        refuse_kind(i, "a list of integers");
        return {};
      }
      result.push_back(*entry);
    }
  } else {
    refuse_kind(i, "a list of integers");
  }
  return result;
}

Tensor Args::out(size_t i) {
  value(i);
  if (i >= size()) return {};
  const auto t = as_tensor(i, id(i));
  if (!t) return {};
  note_write(t->id);
  return *t;
}

std::vector<Tensor> Args::outs(size_t i) {
  const auto* list = std::get_if<ValueList>(&value(i));
  if (!list) {
    refuse_kind(i, "a list of tensors");
    return {};
  }
  std::vector<Tensor> result;
  for (ValueId item : list->items) {
    const auto t = as_tensor(i, item);
    if (!t) return {};
    note_write(item);
    result.push_back(*t);
  }
  return result;
}

Scalar Args::out_scalar(size_t i) {
  value(i);
  if (i >= size()) return {};
  if (graph_.values[id(i)].kind != ValueInfo::Kind::Scalar) {
    refuse_kind(i, "a SymInt");
    return {};
  }
  note_write(id(i));
  return {id(i)};
}

Tensor Args::mutated(size_t i) {
  const Tensor t = tensor(i);
  if (t.id != kNoValue && !graph_.values[t.id].mutated) {
    refuse(fail("it is not registered as writing into argument ", i));
  }
  return t;
}

int64_t Args::integer(size_t i) {
  const auto result = as_integer(value(i));
  if (!result) refuse_kind(i, "an integer");
  return result.value_or(0);
}

int64_t Args::integer_or(size_t i, int64_t otherwise) {
  return is_null(i) ? otherwise : integer(i);
}

double Args::number(size_t i) {
  const auto result = as_number(value(i));
  if (!result) refuse_kind(i, "a number");
  return result.value_or(0);
}

double Args::number_or(size_t i, double otherwise) {
  return is_null(i) ? otherwise : number(i);
}

bool Args::flag(size_t i) {
  return integer(i) != 0;
}

std::string Args::string(size_t i) {
  const auto* s = std::get_if<std::string>(&value(i));
  if (s) return *s;
  refuse_kind(i, "a string");
  return {};
}

std::vector<int64_t> Args::integers(size_t i) {
  std::vector<int64_t> result;
  for (const LiveInt& entry : live_integers(i)) {
    if (entry.is_live()) refuse_kind(i, "a list of integers known at export");
    result.push_back(entry.literal);
  }
  return result;
}

DType Args::dtype(Tensor t) const {
  return t.id == kNoValue ? DType::Float32 : graph_.tensor(t).device_dtype();
}

const Dims& Args::bound(Tensor t) const {
  static const Dims kEmpty;
  return t.id == kNoValue ? kEmpty : graph_.tensor(t).dims;
}

bool Args::is_constant(Tensor t) const {
  return t.id != kNoValue && graph_.tensor(t).constant.has_value();
}

int64_t Args::last_dim(size_t i) const {
  if (i >= size() || graph_.values[id(i)].kind != ValueInfo::Kind::Tensor) return 0;
  return graph_.values[id(i)].tensor.dims.back();
}

const DeviceTraits& Args::traits() const {
  return graph_.traits;
}

}  // namespace highwater
