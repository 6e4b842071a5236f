#include "passes/rewriter.h"

#include <algorithm>

#include "graph/handles.h"
#include "graph/mutations.h"
#include "graph/registry.h"

namespace highwater {

// An op's outputs are its last argument: a value, or a list of them.
template <class Visit>
static void visit_args(const Program& program, const OpCall& call, Visit visit) {
  for (size_t k = 0; k < call.args.size(); ++k) {
    const bool is_output = k + 1 == call.args.size();
    if (const auto* list = std::get_if<ValueList>(&program.values[call.args[k]])) {
      for (ValueId item : list->items) visit(item, is_output);
    } else {
      visit(call.args[k], is_output);
    }
  }
}

Rewriter::Rewriter(Program& program)
    : program_(program),
      producer_(program.values.size()),
      uses_(program.values.size()),
      readers_(program.values.size()),
      mutated_(mutated_values(program)) {
  for (size_t i = 0; i < program.calls.size(); ++i) enter(i);
  for (ValueId id : program.outputs) ++uses_[id];
}

Rewriter::~Rewriter() {
  std::erase_if(program_.calls, [](const OpCall& call) { return call.name.empty(); });
}

void Rewriter::count(const OpCall& call, int by) {
  visit_args(program_, call, [&](ValueId id, bool is_output) {
    if (!is_output) uses_[id] += static_cast<size_t>(by);
  });
}

void Rewriter::enter(size_t i) {
  count(program_.calls[i], +1);
  visit_args(program_, program_.calls[i], [&](ValueId id, bool is_output) {
    if (is_output) {
      producer_[id] = i;
    } else if (readers_[id].empty() || readers_[id].back() != i) {
      readers_[id].push_back(i);
    }
  });
}

const TensorDecl& Rewriter::tensor(ValueId id) const {
  static const TensorDecl kNone;
  const auto* tensor = std::get_if<TensorDecl>(&value(id));
  return tensor ? *tensor : kNone;
}

std::optional<double> Rewriter::number(ValueId id) const {
  if (const auto* i = std::get_if<int64_t>(&value(id))) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&value(id))) return *d;
  return std::nullopt;
}

std::vector<int64_t> Rewriter::identity(ValueId id) const {
  enum : int64_t { kLiteral, kValue };
  std::vector<int64_t> result;
  const auto add = [&](ValueId item) {
    const auto* literal = std::get_if<int64_t>(&value(item));
    result.push_back(literal ? kLiteral : kValue);
    result.push_back(literal ? *literal : int64_t{item});
  };
  if (const auto* literals = std::get_if<std::vector<int64_t>>(&value(id))) {
    for (int64_t literal : *literals) result.insert(result.end(), {kLiteral, literal});
  } else if (const auto* list = std::get_if<ValueList>(&value(id))) {
    for (ValueId item : list->items) add(item);
  } else {
    add(id);
  }
  return result;
}

bool Rewriter::is_fixed(ValueId id, int steps) const {
  if (std::holds_alternative<SymInt>(value(id)) || steps < 0) return false;
  if (!is_tensor(id)) return !std::holds_alternative<ValueList>(value(id));
  if (tensor(id).constant) return true;
  const auto made = producer(id);
  if (!made) return false;
  const auto given = inputs(*made);
  return std::all_of(given.begin(), given.end(),
                     [&](ValueId input) { return is_fixed(input, steps - 1); });
}

std::vector<size_t> Rewriter::readers(ValueId id) const {
  std::vector<size_t> present;
  for (size_t i : readers_[id]) {
    bool reads = false;
    visit_args(program_, program_.calls[i],
               [&](ValueId arg, bool is_output) { reads |= arg == id && !is_output; });
    if (!reads) continue;
    const auto at = std::lower_bound(present.begin(), present.end(), i);
    if (at == present.end() || *at != i) present.insert(at, i);
  }
  return present;
}

std::optional<size_t> Rewriter::producer(ValueId id) const {
  return producer_[id];
}

std::optional<FullCall> Rewriter::producer(ValueId id, std::string_view op) const {
  const auto i = producer_[id];
  return i ? call(*i, op) : std::nullopt;
}

std::optional<FullCall> Rewriter::call(size_t i, std::string_view op) const {
  const OpCall& call = program_.calls[i];
  if (call.name != op) return std::nullopt;
  const Schema& schema = find_op(op)->schema;
  if (call.args.size() != schema.arguments().size() + 1) return std::nullopt;
  return FullCall(i, call, schema);
}

std::span<const ValueId> Rewriter::inputs(size_t i) const {
  const std::vector<ValueId>& args = program_.calls[i].args;
  return {args.data(), args.empty() ? 0 : args.size() - 1};
}

std::optional<FullCall> Rewriter::only_reader(ValueId id, std::string_view op) const {
  const std::vector<size_t> present = readers(id);
  if (uses(id) != 1 || present.size() != 1) return std::nullopt;
  return call(present[0], op);
}

std::optional<ValueId> Rewriter::before_permute(ValueId id, std::span<const int64_t> order) const {
  const auto permute = producer(id, "aten.permute_copy.default");
  if (!permute) return std::nullopt;
  const auto* dims = std::get_if<std::vector<int64_t>>(&value((*permute)["dims"]));
  const auto rank = static_cast<int64_t>(order.size());
  const auto is_same = [&](int64_t given, int64_t wanted) {
    return (given + rank) % rank == wanted;
  };
  if (!dims || !std::equal(dims->begin(), dims->end(), order.begin(), order.end(), is_same)) {
    return std::nullopt;
  }
  return (*permute)["self"];
}

std::optional<int64_t> Rewriter::last_size(ValueId sizes) const {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value(sizes))) {
    return list->empty() ? std::nullopt : std::optional(list->back());
  }
  const auto* list = std::get_if<ValueList>(&value(sizes));
  if (!list || list->items.empty()) return std::nullopt;
  const auto* literal = std::get_if<int64_t>(&value(list->items.back()));
  return literal ? std::optional(*literal) : std::nullopt;
}

std::optional<ValueId> Rewriter::behind_view(ValueId id) const {
  // Exporters write a clone where they would change the layout. What no call computes may be a
  // cache, whose copy is not the same once it is written into.
  if (const auto clone = producer(id, "aten.clone.default")) {
    const ValueId source = (*clone)["self"];
    const TensorDecl &from = tensor(source), &to = tensor(id);
    const bool same = from.dims == to.dims && from.dtype == to.dtype;
    return same && producer(source) ? std::optional(source) : std::nullopt;
  }
  const auto view = producer(id, "aten.view_copy.default");
  if (!view) return std::nullopt;
  const ValueId source = (*view)["self"];
  const Dims& dims = tensor(id).dims;
  if (dims.empty() || !(tensor(source).dims == dims)) return std::nullopt;
  // Equal bounds are not yet equal live dims: [n, 64] may become [64, n]. But where the width is a
  // literal, and only one dim counts rows, there is one way to have as many elements.
  const auto row_dims =
      std::count_if(dims.begin(), dims.end() - 1, [](int64_t bound) { return bound > 1; });
  if (row_dims > 1 || last_size((*view)["size"]) != dims.back()) return std::nullopt;
  return source;
}

ValueId Rewriter::behind_views(ValueId id) const {
  while (const auto source = behind_view(id)) id = *source;
  return id;
}

bool Rewriter::is_read_once(ValueId id) const {
  for (std::optional<ValueId> v = id; v; v = behind_view(*v)) {
    if (uses(*v) != 1) return false;
  }
  return true;
}

ValueId Rewriter::add_value(Value value) {
  program_.values.push_back(std::move(value));
  producer_.emplace_back();
  uses_.push_back(0);
  readers_.emplace_back();
  mutated_.push_back(false);
  return static_cast<ValueId>(program_.values.size() - 1);
}

bool Rewriter::redirect(ValueId from, ValueId to) {
  std::vector<ValueId*> arguments;
  const std::vector<size_t> calls = readers(from);
  for (size_t i : calls) {
    std::vector<ValueId>& args = program_.calls[i].args;
    for (size_t k = 0; k + 1 < args.size(); ++k) {
      if (args[k] == from) arguments.push_back(&args[k]);
    }
  }
  if (arguments.size() != uses(from)) return false;
  for (ValueId* argument : arguments) *argument = to;
  readers_[to].insert(readers_[to].end(), calls.begin(), calls.end());
  uses_[to] += arguments.size();
  uses_[from] = 0;
  return true;
}

void Rewriter::replace(size_t i, std::string_view op, std::span<const Named> arguments,
                       ValueId out) {
  const Schema& schema = find_op(op)->schema;
  std::vector<ValueId> args(schema.arguments().size(), kNoValue);
  for (const Named& given : arguments) args[schema.position(given.argument)] = given.id;
  for (ValueId& arg : args) {
    if (arg == kNoValue) arg = add_value(NullValue{});
  }
  args.push_back(out);
  OpCall& call = program_.calls[i];
  count(call, -1);
  call.name = op;
  call.args = std::move(args);
  enter(i);
}

void Rewriter::remove(size_t i) {
  OpCall& call = program_.calls[i];
  if (call.name.empty()) return;
  count(call, -1);
  visit_args(program_, call, [&](ValueId id, bool is_output) {
    if (is_output && producer_[id] == i) producer_[id].reset();
  });
  call.name.clear();
  call.args.clear();
}

void Rewriter::remove_unused(ValueId id) {
  while (uses(id) == 0) {
    auto looks = producer(id, "aten.view_copy.default");
    if (!looks) looks = producer(id, "aten.clone.default");
    if (!looks) looks = producer(id, "aten.permute_copy.default");
    if (!looks) return;
    id = (*looks)["self"];
    remove(looks->index());
  }
}

}  // namespace highwater
