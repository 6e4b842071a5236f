// A program on the real graph and the real sweep, without a GPU.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "graph/graph.h"
#include "graph/live.h"
#include "support/expect.h"
#include "support/program_builder.h"
#include "support/toy_ops.h"

namespace highwater {

constexpr int64_t kMaxInt = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinInt = std::numeric_limits<int64_t>::min();

// Everything that a call may change, copied.
struct Snapshot {
  struct Run {
    size_t node;
    uint32_t step;
    Grid grid;
    std::vector<std::byte> params;
    bool operator==(const Run&) const = default;
  };
  std::vector<Dims> dims;
  std::vector<int64_t> scalars;
  std::vector<Run> runs;

  Snapshot(const Graph& graph, const Live& live);
  bool operator==(const Snapshot&) const = default;
};

// Inputs whose elements nobody looks at.
Input of_dims(const Dims& dims, DType dtype = DType::Float32);
Input rows(int64_t count);  // of [count, 4]

class Engine {
 public:
  explicit Engine(const Program& program);

  // One call, after which the sweep's promises must hold.
  Status call(const std::vector<Input>& inputs);

  const Dims& dims(ValueId id) const { return live_->shapes()[Tensor{id}]; }
  int64_t scalar(ValueId id) const { return live_->shapes()[Scalar{id}]; }
  size_t dispatches() const { return snapshot().runs.size(); }
  // Nodes planned by the last call, as the sweep says and as the toy ops counted.
  uint32_t planned_nodes() const { return live_->planned_nodes(); }
  int toy_plans() const { return toy_plans_; }
  Snapshot snapshot() const { return {*graph_, *live_}; }
  Graph& graph() { return *graph_; }
  Live& live() { return *live_; }

 private:
  void expect_params_in_arena() const;

  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Live> live_;
  int toy_plans_ = 0;
};

}  // namespace highwater
