#include "graph/args.h"

#include <algorithm>

#include "graph/graph.h"

namespace highwater {
namespace {

bool has_dtype(DTypes wanted, DType dtype) {
  return wanted == DTypes::Any || is_float(dtype) == (wanted == DTypes::Floats);
}

constexpr auto kTensors = {ArgumentKind::Tensor};

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
