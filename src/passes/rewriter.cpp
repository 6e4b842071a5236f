#include "passes/rewriter.h"

#include <algorithm>

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
    : program_(program), producer_(program.values.size()), uses_(program.values.size()) {
  for (size_t i = 0; i < program.calls.size(); ++i) {
    count(program.calls[i], +1);
    visit_args(program, program.calls[i], [&](ValueId id, bool is_output) {
      if (is_output) producer_[id] = i;
    });
  }
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

std::optional<size_t> Rewriter::producer(ValueId id) const {
  return producer_[id];
}

std::optional<size_t> Rewriter::producer(ValueId id, std::string_view op, size_t arity) const {
  const auto i = producer_[id];
  return i && is(*i, op, arity) ? i : std::nullopt;
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
  const auto view = producer(id, "aten.view_copy.default", 3);
  if (!view) return std::nullopt;
  const ValueId source = call(*view).args[0];
  const TensorDecl *from = tensor(source), *to = tensor(id);
  if (!from || !to || to->dims.empty() || !(from->dims == to->dims)) return std::nullopt;
  // Equal bounds are not yet equal live dims: [n, 64] may become [64, n]. But where the width is a
  // literal, and only one dim counts rows, there is one way to have as many elements.
  const auto row_dims =
      std::count_if(to->dims.begin(), to->dims.end() - 1, [](int64_t bound) { return bound > 1; });
  if (row_dims > 1 || last_size(call(*view).args[1]) != to->dims.back()) return std::nullopt;
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
  return static_cast<ValueId>(program_.values.size() - 1);
}

void Rewriter::replace(size_t i, std::string_view op, std::vector<ValueId> args,
                       std::initializer_list<size_t> merged) {
  for (size_t other : merged) {
    if (other != i) remove(other);
  }
  OpCall& call = program_.calls[i];
  count(call, -1);
  call.name = op;
  call.args = std::move(args);
  count(call, +1);
  visit_args(program_, call, [&](ValueId id, bool is_output) {
    if (is_output) producer_[id] = i;
  });
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

void Rewriter::remove_unused() {
  for (size_t i = program_.calls.size(); i-- > 0;) {
    if (is_removed(i) || !is(i, "aten.view_copy.default", 3)) continue;
    if (uses(call(i).args.back()) == 0) remove(i);
  }
}

}  // namespace highwater
