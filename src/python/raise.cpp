#include "python/raise.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace highwater::python {

void raise(const Error& error) {
  const nb::object type = nb::module_::import_("highwater.errors").attr("HighwaterError");
  // A message may quote a path, which need not be UTF-8.
  const std::string& words = error.message();
  PyObject* message =
      PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace");
  if (message) PyErr_SetObject(type.ptr(), nb::steal(message).ptr());
  throw nb::python_error();
}

}  // namespace highwater::python
