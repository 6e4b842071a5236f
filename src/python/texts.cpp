#include "python/texts.h"

#include "python/numbers.h"
#include "python/raise.h"

namespace nb = nanobind;

namespace highwater::python {

std::string to_text(nb::handle value, std::string_view what) {
  Py_ssize_t size = 0;
  const char* bytes =
      nb::isinstance<nb::str>(value) ? PyUnicode_AsUTF8AndSize(value.ptr(), &size) : nullptr;
  if (bytes) return {bytes, static_cast<size_t>(size)};
  PyErr_Clear();
  raise(fail(what, " is ", shown(value), "; a text is wanted, without halves of surrogate pairs"));
}

std::string to_path(nb::handle value) {
  PyObject* converted = nullptr;
  if (!PyUnicode_FSConverter(value.ptr(), &converted)) {
    PyErr_Clear();
    raise(fail("the path is ", shown(value), ", which cannot be one"));
  }
  const auto bytes = nb::steal<nb::bytes>(converted);
  return {bytes.c_str(), bytes.size()};
}

}  // namespace highwater::python
