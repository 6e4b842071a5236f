// Profiled runs for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "highwater/session.h"
#include "python/guarded.h"

namespace highwater::python {

// The outputs of a run, and a dict that tells where its time went. The clock is "device", "host",
// or empty for the best there is.
nanobind::tuple profile(Guarded<Session>& session, const nanobind::args& inputs,
                        nanobind::handle clock);

}  // namespace highwater::python
