// Profiled runs of methods that ExecuTorch runs in pieces: the times of each delegate's dispatches,
// for the thread that asked for them. Through ETDump they are told by executorch/tracing.h.
#pragma once

#include "executorch/place.h"
#include "highwater/session.h"

namespace highwater {

// Whether this thread has asked for it, with profile_runs().
bool wants_profile();

// Runs like session.run(inputs), and keeps the profile for last_profile().
Status run_profiled(Session& session, std::span<const Input> inputs, const DelegatePlace& place);

}  // namespace highwater
