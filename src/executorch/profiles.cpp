#include "executorch/profiles.h"

#include <chrono>
#include <optional>

#include "base/json.h"
#include "highwater/highwater.h"

namespace highwater {
namespace {

using Clock = std::chrono::steady_clock;

struct DelegateProfile {
  Clock::time_point begin;
  Clock::time_point end;
  Profile profile;
};

struct ThreadProfiles {
  bool wanted = false;
  std::optional<ProfileClock> clock;  // none: the device's, if it has one
  DelegatePlace last;
  std::vector<DelegateProfile> delegates;  // of one call of a method
};

thread_local ThreadProfiles profiles;

int64_t nanoseconds(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

void write_shapes(Json& json, std::string_view name, const std::vector<Dims>& many) {
  json.key(name).begin_list();
  for (const Dims& dims : many) {
    json.begin_list();
    for (const int64_t dim : dims) json.value(dim);
    json.end_list();
  }
  json.end_list();
}

void write_dispatch(Json& json, const DispatchTime& d) {
  json.begin_object().field("kernel", d.kernel).field("op", d.op).field("node", d.node);
  json.key("grid").begin_list().value(d.x).value(d.y).end_list();
  write_shapes(json, "reads", d.reads);
  write_shapes(json, "writes", d.writes);
  json.field("start_ns", d.start_ns).field("duration_ns", d.duration_ns).end_object();
}

void write_delegate(Json& json, const DelegateProfile& d) {
  json.begin_object()
      .field("begin_ns", nanoseconds(d.begin))
      .field("end_ns", nanoseconds(d.end))
      .field("clock", d.profile.clock == ProfileClock::Device ? "device" : "host")
      .field("submitted_ns", d.profile.submitted_ns)
      .field("empty_ns", d.profile.empty_ns);
  json.key("dispatches").begin_list();
  for (const DispatchTime& dispatch : d.profile.dispatches) write_dispatch(json, dispatch);
  json.end_list().end_object();
}

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

}  // namespace highwater

using namespace highwater;

const char* highwater_profile_runs(const char* clock) {
  profiles = {};
  if (!clock) return nullptr;
  const std::string_view name = clock;
  if (name == "device") {
    profiles.clock = ProfileClock::Device;
  } else if (name == "host") {
    profiles.clock = ProfileClock::Host;
  } else if (!name.empty()) {
    return "there is no such clock; there are 'device' and 'host'";
  }
  profiles.wanted = true;
  return nullptr;
}

const char* highwater_last_profile(void) {
  thread_local std::string answer;
  Json json;
  json.begin_list();
  for (const DelegateProfile& d : profiles.delegates) write_delegate(json, d);
  answer = json.end_list().text();
  return answer.c_str();
}
