// highwater._native: the engine and its tools for Python.
#include <nanobind/nanobind.h>

#include "python/bindings.h"
#include "python/leave_python.h"

namespace nb = nanobind;

NB_MODULE(_native, m) {
  namespace python = highwater::python;
  m.doc() = "Highwater's engine and its tools.";
  // A daemon thread keeps what it uses beyond the end of Python, which is no fault.
  nb::set_leak_warnings(false);
  python::bind_file(m);
  python::bind_listing(m);
  python::bind_session(m);
  python::bind_generator(m);
  python::bind_tokenizer(m);
  m.attr("executorch_version") = HIGHWATER_EXECUTORCH;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&python::wait_for_others));
}
