#include "python/records.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/raise.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

constexpr const char* kDevice = "device";
constexpr const char* kHost = "host";

nb::list tuples(const std::vector<Dims>& many) {
  nb::list list;
  for (const Dims& dims : many) {
    list.append(nb::tuple(nb::cast(std::vector<int64_t>(dims.begin(), dims.end()))));
  }
  return list;
}

nb::dict record(const DispatchTime& d) {
  nb::dict r;
  r["kernel"] = d.kernel;
  r["op"] = d.op;
  r["node"] = d.node;
  r["grid"] = nb::make_tuple(d.x, d.y);
  r["reads"] = tuples(d.reads);
  r["writes"] = tuples(d.writes);
  r["start_ns"] = d.start_ns;
  r["duration_ns"] = d.duration_ns;
  return r;
}

}  // namespace

nb::dict to_dict(const Accounts& a) {
  nb::dict d;
  for_each_account([&](const char* name, auto member) { d[name] = a.*member; });
  return d;
}

nb::dict to_dict(const Profile& p) {
  nb::list dispatches;
  for (const DispatchTime& d : p.dispatches) dispatches.append(record(d));
  nb::dict d;
  d["clock"] = p.clock == ProfileClock::Device ? kDevice : kHost;
  d["submitted_ns"] = p.submitted_ns;
  d["empty_ns"] = p.empty_ns;
  d["dispatches"] = dispatches;
  return d;
}

std::optional<ProfileClock> clock_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name == kDevice) return ProfileClock::Device;
  if (name == kHost) return ProfileClock::Host;
  raise(fail("there is no clock '", name, "'; there are '", kDevice, "' and '", kHost, "'"));
}

}  // namespace highwater::python
