// What the engine tells of loads and runs, as dicts.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "highwater/accounts.h"
#include "highwater/profile.h"

namespace highwater::python {

nanobind::dict to_dict(const Accounts& accounts);
nanobind::dict to_dict(const Profile& profile);

// "device", "host", or empty for the best there is; raises a HighwaterError for any other.
std::optional<ProfileClock> clock_named(const std::string& name);

}  // namespace highwater::python
