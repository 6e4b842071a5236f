// What the last load, run and error were. ExecuTorch's interface has no place for them, so they are
// kept here for whoever asks: for each thread its own, because a method runs in the thread that
// calls it, and other threads may run other methods meanwhile.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "executorch/place.h"
#include "gpu/executable.h"
#include "graph/graph.h"
#include "highwater/accounts.h"

namespace highwater {

// The names of a graph's steps, in memory that is never freed: reports may outlive the graph.
std::vector<std::string_view> lasting_step_names(const Graph& graph);

void set_last_error(std::string message);

// The accounts of a method's delegates are added up. A delegate that cannot be the next one of the
// same call, because it is another method's or is not later than the last, begins a new account.
void add_to_last_load(const DelegatePlace& place, const Accounts& accounts);
// Allocates nothing once this thread has seen a call as long as this one.
void add_to_last_run(const DelegatePlace& place, const Accounts& accounts,
                     std::span<const gpu::Dispatch> dispatches,
                     std::span<const std::string_view> step_names);
// Those of the delegate that was added last, if they are known only now.
void add_allocations_to_last_run(uint64_t count);

}  // namespace highwater
