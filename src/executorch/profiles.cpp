#include "executorch/profiles.h"

#include "highwater/delegate.h"

namespace highwater {
namespace {

using Clock = std::chrono::steady_clock;

struct ThreadProfiles {
  bool wanted = false;
  std::optional<ProfileClock> clock;  // none: the device's, if it has one
  DelegatePlace last;
  std::vector<DelegateProfile> delegates;  // of one call of a method
};

thread_local ThreadProfiles profiles;

}  // namespace

bool wants_profile() {
  return profiles.wanted;
}

Status run_profiled(Session& session, std::span<const Input> inputs, const DelegatePlace& place) {
  const Clock::time_point begin = Clock::now();
  HW_TRY(Profile profile, session.profile(inputs, profiles.clock));
  if (!place.may_follow(profiles.last)) profiles.delegates.clear();
  profiles.last = place;
  profiles.delegates.push_back({begin, Clock::now(), std::move(profile)});
  return {};
}

void profile_runs(std::optional<ProfileClock> clock) {
  profiles = {};
  profiles.clock = clock;
  profiles.wanted = true;
}

void end_profiling() {
  profiles = {};
}

std::vector<DelegateProfile> last_profile() {
  return profiles.delegates;
}

}  // namespace highwater
