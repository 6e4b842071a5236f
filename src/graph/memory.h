// Which values share which buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace highwater {

// What it takes on the device at its bound: whole quads of the widest dtype, so that kernels may
// load the last quad in full.
uint64_t memory_bytes(const TensorDecl& tensor);

// When a value's memory is in use.
struct Life {
  int64_t first = -1;    // the node that writes it; -1 for what is there before the first node
  int64_t last = -1;     // the last node that touches it; one more than there are for an output
  uint64_t size = 0;     // bytes of it and of all its views, at their bounds
  bool touched = false;  // a step or an output needs it as a buffer
};

// Of each value; that of a view is with its root.
std::vector<Life> find_lives(const Graph& graph);

// Gives every root that a step or an output touches a buffer, sized for its bound. Values whose
// lives do not overlap share one. Lives are read off the nodes, never taken from the exporter's
// plan, which does not know which views and fusions this engine makes.
void plan_memory(Graph& graph, const Program& program);

}  // namespace highwater
