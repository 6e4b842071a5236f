// A run that tells ExecuTorch's event tracer (such as ETDump) about each of its dispatches.
#pragma once

#include <executorch/runtime/core/event_tracer.h>

#include "highwater/session.h"

namespace highwater {

// Whether the tracer, if there is any, wants to know more than the time of a whole method.
bool wants_dispatches(executorch::runtime::EventTracer* tracer);

// Runs like session.run(inputs).
Status run_traced(Session& session, std::span<const Input> inputs,
                  executorch::runtime::EventTracer& tracer);

}  // namespace highwater
