#include "python/profile.h"

#include "python/convert.h"
#include "python/records.h"
#include "python/texts.h"

namespace nb = nanobind;

namespace highwater::python {

nb::tuple profile(Guarded<Session>& guarded, const nb::args& values, nb::handle clock) {
  const Inputs inputs(values);
  const std::optional<ProfileClock> wanted = clock_named(to_text(clock, "clock"));
  std::vector<Output> outputs;
  const Profile p = value_or_raise(guarded.use([&](Session& session) -> Result<Profile> {
    HW_TRY(Profile profiled, session.profile(inputs.all(), wanted));
    HW_TRY(outputs, Output::first(session, session.output_count()));
    return profiled;
  }));
  return nb::make_tuple(to_list(std::move(outputs)), to_dict(p));
}

}  // namespace highwater::python
