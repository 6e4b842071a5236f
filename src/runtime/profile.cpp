#include "highwater/profile.h"

#include <algorithm>
#include <chrono>

#include "gpu/adapters.h"
#include "runtime/session_state.h"

namespace highwater {
namespace {

std::vector<Dims> live_dims(const Graph& graph, const Live& live, std::span<const ValueId> ids) {
  std::vector<Dims> result;
  for (ValueId id : ids) {
    const ValueInfo& value = graph.values[id];
    if (value.kind != ValueInfo::Kind::Tensor || value.scratch) continue;
    result.push_back(live.shapes()[Tensor{id}]);
  }
  return result;
}

}  // namespace

Result<Profile> Session::profile(std::span<const Input> inputs, std::optional<ProfileClock> clock) {
  const State& s = *state_;
  const ProfileClock best = s.executable->device().adapter().has(gpu::kTimestampQuery)
                                ? ProfileClock::Device
                                : ProfileClock::Host;
  const bool with_fixed = !s.fixed_nodes_ran;
  const Call call{inputs, s.all_outputs};
  Profile profile;
  profile.clock = clock.value_or(best);
  gpu::Timing timing;
  const auto start = std::chrono::steady_clock::now();
  HW_CHECK(profile.clock == ProfileClock::Device ? state_->run({&call, 1}, &timing)
                                                 : state_->run_by_host_clock(call, timing));
  const std::chrono::nanoseconds before = timing.submitted - start;
  profile.submitted_ns = static_cast<uint64_t>(before.count());
  profile.empty_ns = timing.empty_ns;
  const std::span<const gpu::Interval> intervals = timing.dispatches;
  s.each_run(with_fixed, [&](const Node& node, const Plan::Run& run) {
    // Devices may reset their clock, and WebGPU lets them: no time is then better than a huge one.
    const auto since = [](uint64_t a, uint64_t b) { return b > a ? b - a : 0; };
    const gpu::Interval& i = intervals[profile.dispatches.size()];
    profile.dispatches.push_back({s.graph->steps[run.step].name, node.op_name, node.id, run.grid.x,
                                  run.grid.y, live_dims(*s.graph, *s.live, node.reads),
                                  live_dims(*s.graph, *s.live, node.writes),
                                  since(intervals[0].begin, i.begin), since(i.begin, i.end)});
  });
  return profile;
}

}  // namespace highwater
