#include "executorch/tracing.h"

#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/platform/platform.h>

#include <unordered_map>

#include "base/json.h"

namespace highwater {
namespace {

namespace et = ::executorch::runtime;

// What the tracer keeps along with an event, and hands to whoever reads it.
std::string metadata(const Profile& profile, const DispatchTime& d) {
  Json json;
  json.begin_object().field("op", d.op).field("node", d.node);
  json.key("grid").begin_list().value(d.x).value(d.y).end_list();
  json.field("clock", profile.clock == ProfileClock::Device ? "device" : "host").end_object();
  return json.text();
}

// Names for a run's events: the kernel and the node, and a number where a node runs a kernel again.
// ExecuTorch's Inspector takes events of the same name for one that was traced several times.
class EventNames {
 public:
  std::string name(const DispatchTime& d) {
    const std::string plain = text(d.kernel, " (node ", d.node);
    const int times = ++times_[plain];
    return times == 1 ? text(plain, ")") : text(plain, ", ", times, ")");
  }

 private:
  std::unordered_map<std::string, int> times_;
};

}  // namespace

bool wants_dispatches(et::EventTracer* tracer) {
  return tracer && tracer->event_tracer_profiling_level() !=
                       et::EventTracerProfilingLevel::kProfileMethodOnly;
}

Status run_traced(Session& session, std::span<const Input> inputs, et::EventTracer& tracer) {
  const et_timestamp_t start = et::pal_current_ticks();
  HW_TRY(const Profile profile, session.profile(inputs));
  // The device's clock counts from nobody knows when. The first dispatch is taken to begin when it
  // was submitted, so that all of them lie within the call.
  const et_tick_ratio_t ratio = et_pal_ticks_to_ns_multiplier();
  const auto ticks = [&](uint64_t nanoseconds) {
    return start + (profile.submitted_ns + nanoseconds) * ratio.denominator / ratio.numerator;
  };
  EventNames names;
  for (const DispatchTime& d : profile.dispatches) {
    const std::string more = metadata(profile, d);
    et::event_tracer_log_profiling_delegate(
        &tracer, names.name(d).c_str(), et::kUnsetDelegateDebugIntId, ticks(d.start_ns),
        ticks(d.start_ns + d.duration_ns), more.data(), more.size());
  }
  return {};
}

}  // namespace highwater
