// Which kernels are wanted first, where making them takes long. For runtime/ only.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace highwater {

// All steps: those that short calls run, then those at the bound, then the others.
std::vector<uint32_t> kernels_first(const Graph& graph);

}  // namespace highwater
