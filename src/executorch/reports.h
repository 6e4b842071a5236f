// What the last load, run and error of this process were. ExecuTorch's interface has no place for
// them, so they are kept here for whoever asks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/executable.h"
#include "graph/graph.h"
#include "highwater/accounts.h"

namespace highwater {

// The names of a graph's steps, in memory that is never freed: reports may outlive the graph.
std::vector<std::string_view> lasting_step_names(const Graph& graph);

void set_last_error(std::string message);
void set_last_load(const Accounts& accounts);
// Allocates nothing once it has seen a run as long as this one.
void set_last_run(const Accounts& accounts, std::span<const gpu::Dispatch> dispatches,
                  std::span<const std::string_view> step_names);

}  // namespace highwater
