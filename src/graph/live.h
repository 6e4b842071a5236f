// The live state of a graph, and the one ordered sweep that brings it up to date.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/plan.h"
#include "graph/shapes.h"
#include "graph/signature_check.h"
#include "highwater/host_tensor.h"
#include "highwater/result.h"

namespace highwater {

class Live {
 public:
  // Plans everything at the bound. A program whose scalars only the caller knows may have no
  // meaning there; it is then planned by the first call.
  explicit Live(const Graph& graph);

  // Takes a call's inputs and plans again, in graph order, every node that reads something that
  // changed. All or nothing: on an error the state is that of the last good call. An input that is
  // fed from an output has the dims that the output had in that call.
  Status update(std::span<const Input> inputs);

  const Shapes& shapes() const { return shapes_; }

  // What the last good call decided, node by node.
  const Plan& plan(size_t node) const { return plans_[node]; }

  // The params arena as it should be on the device, and the bytes that changed since it was last
  // marked clean.
  std::span<const std::byte> params() const { return params_; }
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
    bool empty() const { return begin >= end; }
    uint32_t size() const { return end - begin; }
    Range merged(Range other) const;  // the smallest that holds both
  };
  Range dirty_params() const { return dirty_; }
  void mark_params_clean() { dirty_ = {}; }
  void mark_params_dirty(Range range) { dirty_ = dirty_.merged(range); }

  // Nodes planned by the last update; none when nothing changed.
  uint32_t planned_nodes() const { return planned_nodes_; }

  // Whether planning every node once more would change nothing, as it must. For tests.
  Status check_settled();

 private:
  struct OldDims {
    ValueId value;
    Dims dims;
  };
  struct OldScalar {
    ValueId value;
    int64_t number;
  };

  Status take_inputs(std::span<const Input> inputs);
  Status take_input(ValueId id, const Input& input);
  Status check_signature();
  Status sweep();
  Status plan_node(uint32_t node);
  Status check_runs(const Node& node, const Plan& plan) const;
  Status set_dims(ValueId id, const Dims& dims);
  void set_scalar(ValueId id, int64_t number);
  void mark_readers(ValueId id);
  void mark(uint32_t node) { pending_[node / 64] |= uint64_t{1} << (node % 64); }
  void mark_all();
  void commit();
  void roll_back();

  const Graph& graph_;
  Shapes shapes_;
  SignatureCheck signature_check_;
  std::vector<Plan> plans_;   // of the last good call
  std::vector<Plan> shadow_;  // of the call under way
  std::vector<uint32_t> touched_;
  std::vector<uint32_t> host_readers_;
  std::vector<uint64_t> pending_;  // a bit for each node still to plan
  std::vector<OldDims> old_dims_;
  std::vector<OldScalar> old_scalars_;
  std::vector<std::byte> params_;
  Range dirty_;
  uint32_t planned_nodes_ = 0;
  bool planned_once_ = false;
};

}  // namespace highwater
