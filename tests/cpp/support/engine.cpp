#include "support/engine.h"

#include <cstring>

namespace highwater {

Snapshot::Snapshot(const Graph& graph, const Live& live) {
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    dims.push_back(live.shapes()[Tensor{id}]);
    scalars.push_back(live.shapes()[Scalar{id}]);
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const Plan::Run& run : live.plan(n).runs()) {
      const auto params = live.plan(n).params(run);
      runs.push_back({n, run.step, run.grid, {params.begin(), params.end()}});
    }
  }
}

Input of_dims(const Dims& dims, DType dtype) {
  return HostTensor{dtype, dims, nullptr};
}

Input rows(int64_t count) {
  return of_dims({count, 4});
}

Engine::Engine(const Program& program) {
  auto built = Graph::build(program);
  if (!built) give_up(built.error());
  graph_ = *std::move(built);
  live_ = std::make_unique<Live>(*graph_);
  take_toy_plans();
}

Status Engine::call(const std::vector<Input>& inputs) {
  Status status = live_->update(inputs);
  toy_plans_ = take_toy_plans();
  if (!status) return status;
  EXPECT_TRUE(succeeds(live_->check_settled()));
  take_toy_plans();
  expect_params_in_arena();
  return {};
}

// What will be on the device is what the plans say.
void Engine::expect_params_in_arena() const {
  for (const Snapshot::Run& run : snapshot().runs) {
    const auto arena =
        live_->params().subspan(graph_->steps[run.step].params_at, run.params.size());
    EXPECT_EQ(std::memcmp(arena.data(), run.params.data(), run.params.size()), 0)
        << graph_->nodes[run.node].name;
  }
}

}  // namespace highwater
