// A graph's memory: what kinds there are, and what a device may say to it.
#pragma once

#include <string_view>

#include "base/json.h"
#include "graph/graph.h"
#include "inspect/inspect.h"

namespace highwater {

// "input", "output", "constant", "cache", "kept", "scratch", "view", "scalar" or "activation".
std::string_view role_of(const Graph& graph, ValueId id);

// The fields "buffers", "memory" and "troubles" of a program's object.
void write_memory(Json& json, const Graph& graph, const Target& target);

}  // namespace highwater
