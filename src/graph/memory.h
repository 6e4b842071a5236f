// Which values share which buffers.
#pragma once

#include "graph/graph.h"

namespace highwater {

// Gives every root that a step or an output touches a buffer, sized for its bound. Values whose
// lives do not overlap share one. Lives are read off the nodes, never taken from the exporter's
// plan, which does not know which views and fusions this engine makes.
void plan_memory(Graph& graph, const Program& program);

}  // namespace highwater
