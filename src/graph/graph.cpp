#include "graph/graph.h"

#include <algorithm>
#include <set>

#include "graph/memory.h"
#include "graph/mutations.h"

namespace highwater {
namespace {

void add_values(Graph& graph, const Program& program) {
  graph.values.resize(program.values.size());
  for (ValueId id = 0; id < program.values.size(); ++id) {
    ValueInfo& info = graph.values[id];
    info.root = id;
    if (const auto* tensor = std::get_if<TensorDecl>(&program.values[id])) {
      info.kind = ValueInfo::Kind::Tensor;
      info.tensor = *tensor;
      info.defined = tensor->constant.has_value();
    } else if (std::holds_alternative<SymInt>(program.values[id])) {
      info.kind = ValueInfo::Kind::Scalar;
    }
  }
  for (const OpCall& call : program.calls) {
    for (ValueId id : call.args) ++graph.values[id].calls;
  }
  graph.inputs = program.inputs;
  graph.outputs = program.outputs;
  graph.signature = program.signature;
  for (uint32_t i = 0; i < graph.inputs.size(); ++i) {
    graph.values[graph.inputs[i]].input = i;
    graph.values[graph.inputs[i]].defined = true;
  }
}

Status add_node(Graph& graph, const Program& program, const OpCall& call) {
  const std::string name = text(call.name, " (node ", call.node_id, ")");
  const auto index = static_cast<uint32_t>(graph.nodes.size());
  graph.nodes.push_back({});
  graph.nodes.back().op_name = call.name;
  graph.nodes.back().id = call.node_id;
  graph.nodes.back().name = name;
  graph.nodes.back().first_step = static_cast<uint32_t>(graph.steps.size());
  const OpEntry& entry = *find_op(call.name);
  Args args(graph, index, program, call, entry.schema);
  graph.nodes[index].op = entry.make(args);
  graph.nodes[index].end_step = static_cast<uint32_t>(graph.steps.size());
  Status status = args.finish();
  if (!status) return status.take_error().within(text("op ", name));
  return {};
}

// A program with several unknown ops should say so at once, not one by one.
Status check_supported(const Program& program) {
  constexpr size_t kMostNamed = 20;
  std::vector<std::string_view> missing;
  std::set<std::string_view> seen;
  for (const OpCall& call : program.calls) {
    if (!find_op(call.name) && seen.insert(call.name).second) missing.push_back(call.name);
  }
  if (missing.empty()) return {};
  std::string names;
  for (size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i) {
    append(names, text(i ? ", " : "", missing[i]));
  }
  if (missing.size() > kMostNamed)
    append(names, text(" and ", missing.size() - kMostNamed, " more"));
  return fail("an op of this program is not supported: ", names);
}

// Views are made as ops are parsed, so it must be known beforehand what a later op writes into.
void mark_mutated(Graph& graph, const Program& program) {
  const std::vector<bool> mutated = mutated_values(program);
  for (ValueId id = 0; id < mutated.size(); ++id) graph.values[id].mutated = mutated[id];
}

// A node that reads nothing but constants needs to run only once.
void mark_fixed(Graph& graph) {
  for (ValueInfo& v : graph.values) v.fixed = v.tensor.constant.has_value() && !v.mutated;
  for (Node& node : graph.nodes) {
    const auto is_fixed = [&](ValueId id) { return graph.values[id].fixed; };
    const auto is_mutated = [&](ValueId id) { return graph.values[id].mutated; };
    node.fixed = std::all_of(node.reads.begin(), node.reads.end(), is_fixed) &&
                 std::none_of(node.writes.begin(), node.writes.end(), is_mutated);
    if (!node.fixed) continue;
    for (ValueId id : node.writes) graph.values[id].fixed = true;
  }
}

}  // namespace

Result<std::unique_ptr<Graph>> Graph::build(const Program& program, const DeviceTraits& traits,
                                            Memory memory) {
  HW_CHECK(check_supported(program));
  auto graph = std::make_unique<Graph>();
  graph->traits = traits;
  graph->memory = memory;
  add_values(*graph, program);
  mark_mutated(*graph, program);
  for (const OpCall& call : program.calls) HW_CHECK(add_node(*graph, program, call));
  for (ValueId id : graph->outputs) {
    if (!graph->values[id].defined) {
      return fail("output ", graph->describe(id), " is written by no op");
    }
  }
  mark_fixed(*graph);
  plan_memory(*graph, program);
  return graph;
}

std::string Graph::describe(ValueId id) const {
  const ValueInfo& v = values[id];
  if (v.kind != ValueInfo::Kind::Tensor) return text("scalar ", id);
  return text("tensor ", id, " (", v.tensor.dtype, ", at most ", v.tensor.dims, ")");
}

}  // namespace highwater
