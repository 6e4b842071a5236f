// highwater._delegate: what the delegate for ExecuTorch's runtime tells. Importing it registers the
// delegate.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "highwater/delegate.h"
#include "python/raise.h"
#include "python/records.h"
#include "python/texts.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

nb::dict told_method(const MethodAccounts& method) {
  nb::dict d = to_dict(method.sum);
  d["delegates"] = method.delegates;
  return d;
}

nb::dict told_run() {
  const MethodAccounts run = last_run();
  nb::dict d = told_method(run);
  d["kernels"] = run.kernels;
  return d;
}

// By the clock of Python's time.monotonic_ns().
int64_t nanoseconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

nb::list told_profile() {
  nb::list delegates;
  for (const DelegateProfile& delegate : last_profile()) {
    nb::dict d = to_dict(delegate.profile);
    d["begin_ns"] = nanoseconds(delegate.begin);
    d["end_ns"] = nanoseconds(delegate.end);
    delegates.append(d);
  }
  return delegates;
}

}  // namespace
}  // namespace highwater::python

NB_MODULE(_delegate, m) {
  using namespace highwater;
  m.doc() = "Highwater's delegate for ExecuTorch's runtime.";
  m.def(
      "register", [] { python::check_or_raise(register_delegate()); },
      "Raises, with the reason, if ExecuTorch does not take the delegate.");
  m.def("last_error", &last_error);
  m.def("forget_error", &forget_error);
  m.def("last_load", [] { return python::told_method(last_load()); });
  m.def("last_run", &python::told_run);
  m.def(
      "profile_runs",
      [](const nb::object& clock) {
        profile_runs(python::clock_named(python::to_text(clock, "clock")));
      },
      nb::arg("clock").none() = "", "Profiles what this thread runs from now on.");
  m.def("end_profiling", &end_profiling);
  m.def("last_profile", &python::told_profile, "Of each delegate of the last profiled run.");
}
