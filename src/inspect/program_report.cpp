// A delegate's program: its ops and values, and what the planner makes of them.
#include <map>

#include "graph/memory.h"
#include "graph/registry.h"
#include "inspect/forms.h"
#include "inspect/inspect.h"
#include "inspect/memory_report.h"
#include "inspect/request.h"
#include "inspect/survey.h"
#include "runtime/choices.h"

namespace highwater {
namespace {

template <class Items>
void write_list(Json& json, std::string_view name, const Items& items) {
  json.key(name).begin_list();
  for (const auto& item : items) json.value(item);
  json.end_list();
}

void write_counts(Json& json, std::string_view name, const Program& program) {
  std::map<std::string_view, size_t> counts;
  for (const OpCall& call : program.calls) ++counts[call.name];
  json.key(name).begin_object();
  for (const auto& [op, count] : counts) json.field(as_utf8(std::string(op)), count);
  json.end_object();
}

// Names that no op has: the reason why a program does not load.
void write_unsupported(Json& json, const Program& program) {
  std::map<std::string_view, size_t> missing;
  for (const OpCall& call : program.calls) {
    if (!find_op(call.name)) ++missing[call.name];
  }
  json.key("unsupported").begin_object();
  for (const auto& [op, count] : missing) json.field(as_utf8(std::string(op)), count);
  json.end_object();
}

// "%12" for a value that is computed, and literals as they are.
std::string text_of(const Program& program, ValueId id);

template <class Items>
std::string text_of_items(const Items& items, const auto& item_text) {
  std::string list;
  for (const auto& item : items) append(list, text(list.empty() ? "" : ", ", item_text(item)));
  return text("[", list, "]");
}

struct ValueText {
  const Program& program;
  ValueId id;

  std::string operator()(const NullValue&) const { return "none"; }
  std::string operator()(int64_t n) const { return text(n); }
  std::string operator()(double n) const { return text(n); }
  std::string operator()(bool b) const { return text(b); }
  std::string operator()(const std::string& s) const { return text("'", as_utf8(s), "'"); }
  std::string operator()(const ValueList& list) const {
    return text_of_items(list.items, [&](ValueId item) { return text_of(program, item); });
  }
  std::string operator()(const SymInt&) const { return text("%", id); }
  std::string operator()(const TensorDecl&) const { return text("%", id); }
  template <class Item>
  std::string operator()(const std::vector<Item>& items) const {
    return text_of_items(items, [](const Item& item) { return text(item); });
  }
};

std::string text_of(const Program& program, ValueId id) {
  return std::visit(ValueText{program, id}, program.values[id]);
}

class ProgramReport {
 public:
  ProgramReport(Json& json, const Program& program, const Graph& graph, const Target& target,
                const InspectOptions& options)
      : json_(json),
        program_(program),
        graph_(graph),
        target_(target),
        options_(options),
        probe_(graph) {}

  void write(std::span<const InputFacts> facts) {
    auto symbols = find_symbols(probe_, facts);
    if (symbols) {
      symbols_ = *std::move(symbols);
    } else {
      json_.field("refused_at_bound", symbols.error().message());
    }
    write_asked();
    survey_ = make_survey(probe_, symbols_, asked_);
    forms_ = find_forms(graph_, symbols_, survey_);
    write_symbols();
    write_values();
    write_nodes();
    write_steps();
    write_points();
    write_memory(json_, graph_, target_);
  }

 private:
  void write_asked() {
    json_.key("asked").begin_list();
    for (const std::string& wanted : options_.at) {
      json_.begin_object().field("text", as_utf8(wanted));
      if (auto point = read_point(wanted, symbols_)) {
        write_list(json_, "point", *point);
        asked_.push_back(*std::move(point));
      } else {
        json_.field("error", point.error().message());
      }
      json_.end_object();
    }
    json_.end_list();
  }

  void write_symbols() {
    json_.key("symbols").begin_list();
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const Symbol& s = symbols_[i];
      json_.begin_object().field("name", s.name);
      json_.key("places").begin_list();
      for (const Place& place : s.places) json_.value(describe(place));
      json_.end_list()
          .field("kind", s.places.front().kind == Place::Kind::Dim ? "dim" : "integer")
          .field("least", s.least)
          .field("most", s.most)
          .field("usual", s.usual);
      write_list(json_, "positions", survey_.axes[i].positions);
      write_list(json_, "borders", survey_.axes[i].borders);
      json_.end_object();
    }
    json_.end_list();
  }

  void write_values() {
    std::vector<bool> used(graph_.values.size());
    const auto use = [&](const std::vector<ValueId>& ids) {
      for (ValueId id : ids) used[id] = true;
    };
    use(graph_.inputs);
    use(graph_.outputs);
    for (const Node& node : graph_.nodes) {
      use(node.reads);
      use(node.writes);
    }
    const std::vector<Life> lives = find_lives(graph_);
    json_.key("values").begin_list();
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      if (used[id] && graph_.values[id].kind != ValueInfo::Kind::Other) write_value(id, lives);
    }
    json_.end_list();
    write_list(json_, "inputs", graph_.inputs);
    write_list(json_, "outputs", graph_.outputs);
  }

  void write_value(ValueId id, const std::vector<Life>& lives) {
    const ValueInfo& value = graph_.values[id];
    const bool is_tensor = value.kind == ValueInfo::Kind::Tensor;
    json_.begin_object().field("id", id).field("role", role_of(graph_, id));
    if (is_tensor) {
      json_.field("dtype", name(value.tensor.dtype));
      if (value.tensor.device_dtype() != value.tensor.dtype) {
        json_.field("device_dtype", name(value.tensor.device_dtype()));
      }
      write_list(json_, "bound", value.tensor.dims);
    }
    write_list(json_, is_tensor ? "dims" : "scalar", forms_[id]);
    const ValueId root = graph_.root(id);
    if (root != id) json_.field("views", root);
    if (is_tensor && root == id) {
      const Life& life = lives[id];
      json_.field("bytes", life.size).field("first", life.first).field("last", life.last);
      if (value.buffer != kNoBuffer) json_.field("buffer", value.buffer);
    }
    json_.end_object();
  }

  void write_nodes() {
    json_.key("nodes").begin_list();
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const OpCall& call = program_.calls[n];
      json_.begin_object().field("op", as_utf8(call.name)).field("exporter_node", call.node_id);
      write_arguments(call);
      write_list(json_, "reads", node.reads);
      write_list(json_, "writes", node.writes);
      if (node.fixed) json_.field("once", true);
      json_.field("first_step", node.first_step).field("end_step", node.end_step);
      write_states(survey_.nodes[n]);
      json_.end_object();
    }
    json_.end_list();
  }

  // By name, without the result, which `writes` tells.
  void write_arguments(const OpCall& call) {
    const auto arguments = find_op(call.name)->schema.arguments();
    json_.key("args").begin_list();
    for (size_t i = 0; i + 1 < call.args.size(); ++i) {
      json_.value(text(arguments[i].name, "=", text_of(program_, call.args[i])));
    }
    json_.end_list();
  }

  void write_states(const Survey::Node& node) {
    write_list(json_, "tensors", node.tensors);
    write_list(json_, "scalars", node.scalars);
    json_.key("states").begin_list();
    for (const NodeState& state : node.states) {
      json_.begin_object().key("runs").begin_list();
      for (const NodeState::Run& run : state.runs) {
        json_.begin_list().value(run.step).value(run.grid.x).value(run.grid.y).end_list();
      }
      json_.end_list().key("dims").begin_list();
      for (const Dims& dims : state.dims) {
        json_.begin_list();
        for (const int64_t d : dims) json_.value(d);
        json_.end_list();
      }
      json_.end_list();
      write_list(json_, "scalars", state.scalars);
      json_.field("read", state.read_bytes).field("written", state.written_bytes).end_object();
    }
    json_.end_list();
    json_.key("at").begin_list();
    for (const uint32_t state : node.at) {
      json_.value(state == Survey::kRefused ? int64_t{-1} : int64_t{state});
    }
    json_.end_list();
  }

  void write_steps() {
    std::map<std::string_view, size_t> texts;
    json_.key("steps").begin_list();
    for (const StepDecl& step : graph_.steps) {
      const size_t wgsl = texts.try_emplace(step.wgsl, texts.size()).first->second;
      json_.begin_object().field("kernel", step.name).field("wgsl", wgsl);
      json_.field("params", step.params_size).key("bindings").begin_list();
      for (const StepBinding& b : step.bindings) {
        json_.begin_object().field("value", b.value);
        if (b.memory != kNoBuffer) json_.field("buffer", b.memory);
        if (b.use.writes) json_.field("writes", true);
        json_.end_object();
      }
      json_.end_list().end_object();
    }
    json_.end_list().field("pipelines", texts.size());
    if (!options_.wgsl) return;
    std::vector<std::string_view> in_order(texts.size());
    for (const auto& [wgsl, index] : texts) in_order[index] = wgsl;
    write_list(json_, "wgsl", in_order);
  }

  // The grid is the product of the symbols' positions, of which the last runs fastest; what was
  // asked for stands behind it.
  void write_points() {
    json_.field("grid_points", survey_.grid_points).field("points", survey_.points.size());
    write_list(json_, "refusals", survey_.refusals);
    json_.key("refused").begin_list();
    for (size_t p = 0; p < survey_.points.size(); ++p) {
      if (!survey_.refused(p)) continue;
      json_.begin_list().value(p).value(survey_.why[p]).end_list();
    }
    json_.end_list();
  }

  Json& json_;
  const Program& program_;
  const Graph& graph_;
  const Target& target_;
  const InspectOptions& options_;
  Probe probe_;
  std::vector<Symbol> symbols_;
  std::vector<Point> asked_;
  Survey survey_;
  Forms forms_;
};

}  // namespace

void inspect_program(Json& json, Program program, std::span<const InputFacts> facts,
                     const Target& target, const InspectOptions& options) {
  json.begin_object();
  write_counts(json, "exported_ops", program);
  uint64_t bytes = 0;
  for (const ConstantDecl& c : program.constants) bytes += c.size;
  json.field("constants", program.constants.size()).field("constant_bytes", bytes);
  rewrite(program, target.choices, target.adapter.value_or(gpu::AdapterDescription{}));
  write_counts(json, "ops", program);
  write_unsupported(json, program);
  auto graph = Graph::build(program, target.traits);
  if (graph) {
    ProgramReport(json, program, **graph, target, options).write(facts);
  } else {
    json.field("error", graph.error().message());
  }
  json.end_object();
}

}  // namespace highwater
