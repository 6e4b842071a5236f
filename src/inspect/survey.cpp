#include "inspect/survey.h"

#include <algorithm>
#include <map>

#include "inspect/axes.h"

namespace highwater {
namespace {

uint64_t live_bytes(const Graph& graph, const Live& live, ValueId id) {
  return static_cast<uint64_t>(live.shapes()[Tensor{id}].numel()) *
         byte_size(graph.values[id].tensor.device_dtype());
}

NodeState state_of(const Graph& graph, const Live& live, size_t n, const Survey::Node& node) {
  NodeState state;
  for (const Plan::Run& run : live.plan(n).runs()) {
    state.runs.push_back({run.step, run.grid});
    for (const StepBinding& b : graph.steps[run.step].bindings) {
      (b.use.writes ? state.written_bytes : state.read_bytes) += live_bytes(graph, live, b.value);
    }
  }
  for (ValueId id : node.tensors) state.dims.push_back(live.shapes()[Tensor{id}]);
  for (ValueId id : node.scalars) state.scalars.push_back(live.shapes()[Scalar{id}]);
  return state;
}

std::vector<int64_t> key_of(const NodeState& state) {
  std::vector<int64_t> key{static_cast<int64_t>(state.read_bytes),
                           static_cast<int64_t>(state.written_bytes)};
  for (const NodeState::Run& run : state.runs) {
    key.insert(key.end(), {run.step, run.grid.x, run.grid.y});
  }
  for (const Dims& dims : state.dims) key.insert(key.end(), dims.begin(), dims.end());
  key.insert(key.end(), state.scalars.begin(), state.scalars.end());
  return key;
}

class Surveyor {
 public:
  Surveyor(Probe& probe, std::span<const Symbol> symbols) : probe_(probe), symbols_(symbols) {
    const Graph& graph = probe.graph();
    known_.resize(graph.nodes.size());
    for (const Node& node : graph.nodes) {
      Survey::Node& seen = survey_.nodes.emplace_back();
      for (ValueId id : node.writes) {
        const ValueInfo& value = graph.values[id];
        if (value.kind == ValueInfo::Kind::Scalar) seen.scalars.push_back(id);
        if (value.kind == ValueInfo::Kind::Tensor && !value.scratch) seen.tensors.push_back(id);
      }
    }
  }

  Survey survey(std::span<const Point> asked) {
    survey_.axes = choose_axes(probe_, symbols_);
    Point point(symbols_.size());
    visit_grid(point, 0);
    survey_.grid_points = survey_.points.size();
    for (const Point& p : asked) visit(p);
    return std::move(survey_);
  }

 private:
  void visit_grid(Point& point, size_t symbol) {
    if (symbol == symbols_.size()) {
      visit(point);
      return;
    }
    for (const int64_t position : survey_.axes[symbol].positions) {
      point[symbol] = position;
      visit_grid(point, symbol + 1);
    }
  }

  void visit(const Point& point) {
    survey_.points.push_back(point);
    const Status status = probe_.plan_at(symbols_, point);
    survey_.why.push_back(status.ok() ? Survey::kRefused : refusal(status.error().message()));
    for (size_t n = 0; n < survey_.nodes.size(); ++n) {
      survey_.nodes[n].at.push_back(status.ok() ? state_now(n) : Survey::kRefused);
    }
  }

  uint32_t state_now(size_t n) {
    Survey::Node& node = survey_.nodes[n];
    NodeState state = state_of(probe_.graph(), probe_.live(), n, node);
    const auto [entry, is_new] =
        known_[n].try_emplace(key_of(state), static_cast<uint32_t>(node.states.size()));
    if (is_new) node.states.push_back(std::move(state));
    return entry->second;
  }

  uint32_t refusal(const std::string& message) {
    auto& all = survey_.refusals;
    const auto found = std::find(all.begin(), all.end(), message);
    if (found != all.end()) return static_cast<uint32_t>(found - all.begin());
    all.push_back(message);
    return static_cast<uint32_t>(all.size() - 1);
  }

  Probe& probe_;
  std::span<const Symbol> symbols_;
  Survey survey_;
  std::vector<std::map<std::vector<int64_t>, uint32_t>> known_;
};

}  // namespace

Survey make_survey(Probe& probe, std::span<const Symbol> symbols, std::span<const Point> asked) {
  return Surveyor(probe, symbols).survey(asked);
}

}  // namespace highwater
