#include "graph/live.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace highwater {

Live::Live(const Graph& graph)
    : graph_(graph),
      shapes_(graph),
      signature_check_(graph.signature),
      plans_(graph.nodes.size()),
      shadow_(graph.nodes.size()),
      pending_((graph.nodes.size() + 63) / 64),
      params_(graph.params_size) {
  touched_.reserve(graph.nodes.size());
  old_dims_.reserve(graph.values.size());
  old_scalars_.reserve(graph.values.size());
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].reads_host_data) host_readers_.push_back(n);
  }
  // Twice: plans and shadows change places, and both should have their memory before the first
  // call.
  for (int pass = 0; pass < 2; ++pass) {
    mark_all();
    if (sweep().ok()) {
      commit();
    } else {
      roll_back();
    }
  }
}

Status Live::update(std::span<const Input> inputs) {
  planned_nodes_ = 0;
  shapes_.inputs_ = inputs;
  Status status = take_inputs(inputs);
  if (status.ok()) status = sweep();
  shapes_.inputs_ = {};
  if (!status.ok()) {
    roll_back();
    return status;
  }
  commit();
  return {};
}

Status Live::take_inputs(std::span<const Input> inputs) {
  if (inputs.size() != graph_.inputs.size()) {
    return fail("the program takes ", graph_.inputs.size(), " inputs; ", inputs.size(),
                " were given");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Status status = take_input(graph_.inputs[i], inputs[i]);
    if (!status) return status.take_error().within(graph_.signature.describe(i));
  }
  for (uint32_t n : host_readers_) mark(n);
  return check_signature();
}

Status Live::check_signature() {
  signature_check_.begin();
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    const ValueId id = graph_.inputs[i];
    HW_CHECK(graph_.values[id].kind == ValueInfo::Kind::Tensor
                 ? signature_check_.check_tensor(i, shapes_.dims_[id])
                 : signature_check_.check_integer(i, shapes_.scalars_[id]));
  }
  return {};
}

Status Live::take_input(ValueId id, const Input& input) {
  const bool is_tensor = graph_.values[id].kind == ValueInfo::Kind::Tensor;
  if (const auto* tensor = std::get_if<HostTensor>(&input); tensor && is_tensor) {
    return set_dims(id, tensor->dims);
  }
  if (const auto* fed = std::get_if<FromOutput>(&input); fed && is_tensor) {
    return set_dims(id, shapes_.dims_[graph_.outputs[fed->output]]);
  }
  if (const auto* placed = std::get_if<InPlace>(&input); placed && is_tensor) {
    return set_dims(id, placed->dims);
  }
  if (const auto* number = std::get_if<int64_t>(&input); number && !is_tensor) {
    set_scalar(id, *number);
    return {};
  }
  return fail("it is ", graph_.describe(id), "; ", is_tensor ? "an integer" : "a tensor",
              " was given");
}

// A node's readers come after it, so one pass from the front plans each node at most once.
Status Live::sweep() {
  for (size_t word = 0; word < pending_.size(); ++word) {
    while (pending_[word]) {
      const auto bit = static_cast<uint32_t>(std::countr_zero(pending_[word]));
      pending_[word] &= pending_[word] - 1;
      HW_CHECK(plan_node(static_cast<uint32_t>(word * 64 + bit)));
    }
  }
  return {};
}

Status Live::plan_node(uint32_t n) {
  const Node& node = graph_.nodes[n];
  Plan& plan = shadow_[n];
  plan.clear();
  touched_.push_back(n);
  ++planned_nodes_;
  Status status = node.op->plan(shapes_, plan);
  for (const Plan::Resize& r : plan.resizes()) {
    if (status.ok()) status = set_dims(r.value, r.dims);
  }
  if (status.ok()) status = check_runs(node, plan);
  if (!status) return status.take_error().within(text("op ", node.name));
  for (const Plan::SetScalar& s : plan.scalars()) set_scalar(s.value, s.number);
  return {};
}

// What an op must not get wrong, since nothing after this would notice.
Status Live::check_runs(const Node& node, const Plan& plan) const {
  const auto runs = plan.runs();
  for (size_t i = 0; i < runs.size(); ++i) {
    const Plan::Run& run = runs[i];
    if (run.step == kNoStep) return fail("its plan runs a step that it never declared");
    const StepDecl& step = graph_.steps[run.step];
    if (run.step < node.first_step || run.step >= node.end_step) {
      return fail("its plan runs ", step.name, ", a step of another op");
    }
    const auto is_same = [&](const Plan::Run& other) { return other.step == run.step; };
    if (std::any_of(runs.begin(), runs.begin() + i, is_same)) {
      return fail("its plan runs ", step.name, " twice; a step has params for one run");
    }
    if (run.rounds.count > graph_.traits.most_rounds) {
      return fail("sizes that take ", run.rounds.count, " rounds of ", step.name,
                  " are too long for this adapter, which ends loops after ",
                  graph_.traits.most_rounds);
    }
  }
  return {};
}

Status Live::set_dims(ValueId id, const Dims& dims) {
  Dims& live = shapes_.dims_[id];
  if (live == dims) return {};
  const Dims& bound = graph_.values[id].tensor.dims;
  bool fits = dims.rank() == bound.rank();
  for (size_t i = 0; fits && i < dims.rank(); ++i) fits = dims[i] >= 0 && dims[i] <= bound[i];
  if (!fits) return fail("dims ", dims, " do not fit ", graph_.describe(id));
  old_dims_.push_back({id, live});
  live = dims;
  mark_readers(id);
  return {};
}

void Live::set_scalar(ValueId id, int64_t number) {
  int64_t& live = shapes_.scalars_[id];
  if (live == number) return;
  old_scalars_.push_back({id, live});
  live = number;
  mark_readers(id);
}

void Live::mark_readers(ValueId id) {
  for (uint32_t n : graph_.values[id].readers) mark(n);
}

void Live::mark_all() {
  for (uint32_t n = 0; n < graph_.nodes.size(); ++n) mark(n);
}

void Live::commit() {
  for (uint32_t n : touched_) {
    std::swap(plans_[n], shadow_[n]);
    for (const Plan::Run& run : plans_[n].runs()) {
      const auto bytes = plans_[n].params(run);
      const uint32_t at = graph_.steps[run.step].params_at;
      if (bytes.empty() || std::memcmp(params_.data() + at, bytes.data(), bytes.size()) == 0) {
        continue;
      }
      std::memcpy(params_.data() + at, bytes.data(), bytes.size());
      dirty_ = dirty_.merged({at, static_cast<uint32_t>(at + bytes.size())});
    }
  }
  touched_.clear();
  old_dims_.clear();
  old_scalars_.clear();
  planned_once_ = true;
}

Live::Range Live::Range::merged(Range other) const {
  if (empty()) return other;
  if (other.empty()) return *this;
  return {std::min(begin, other.begin), std::max(end, other.end)};
}

void Live::roll_back() {
  // Newest first: a value may have changed twice.
  for (auto it = old_dims_.rbegin(); it != old_dims_.rend(); ++it) {
    shapes_.dims_[it->value] = it->dims;
  }
  for (auto it = old_scalars_.rbegin(); it != old_scalars_.rend(); ++it) {
    shapes_.scalars_[it->value] = it->number;
  }
  touched_.clear();
  old_dims_.clear();
  old_scalars_.clear();
  std::fill(pending_.begin(), pending_.end(), 0);
  if (!planned_once_) mark_all();
}

Status Live::check_settled() {
  Plan again;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (graph_.nodes[n].reads_host_data) continue;
    again.clear();
    HW_CHECK(graph_.nodes[n].op->plan(shapes_, again));
    for (const Plan::Resize& r : again.resizes()) {
      if (shapes_.dims_[r.value] == r.dims) continue;
      return fail("op ", graph_.nodes[n].name, " wants ", r.dims, " for ", graph_.describe(r.value),
                  ", which has ", shapes_.dims_[r.value]);
    }
    for (const Plan::SetScalar& s : again.scalars()) {
      if (shapes_.scalars_[s.value] == s.number) continue;
      return fail("op ", graph_.nodes[n].name, " wants ", s.number, " for scalar ", s.value,
                  ", which is ", shapes_.scalars_[s.value]);
    }
  }
  return {};
}

}  // namespace highwater
