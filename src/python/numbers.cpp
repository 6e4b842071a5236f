#include "python/numbers.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>

#include "python/raise.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

constexpr size_t kMostShown = 60;

nb::object whole(nb::handle value, std::string_view what) {
  PyObject* number = PyNumber_Index(value.ptr());
  if (number) return nb::steal(number);
  PyErr_Clear();
  raise(fail(what, " is ", shown(value), "; a whole number is wanted"));
}

template <class T>
[[noreturn]] void raise_out_of_range(nb::handle value, std::string_view what) {
  raise(fail(what, " is ", shown(value), "; it can be from ", std::numeric_limits<T>::min(), " to ",
             std::numeric_limits<T>::max()));
}

}  // namespace

std::string shown(nb::handle value) {
  PyObject* text = PyObject_Repr(value.ptr());
  PyObject* utf8 = text ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : nullptr;
  Py_XDECREF(text);
  if (!utf8) {  // Python refuses to print a number of thousands of digits
    PyErr_Clear();
    return "a number too long to print";
  }
  const auto bytes = nb::steal<nb::bytes>(utf8);
  std::string words(bytes.c_str(), bytes.size());
  if (words.size() > kMostShown) words = words.substr(0, kMostShown) + "…";
  return words;
}

int64_t to_int64(nb::handle value, std::string_view what) {
  const nb::object number = whole(value, what);
  int overflow = 0;
  const int64_t result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow) raise_out_of_range<int64_t>(value, what);
  return result;
}

uint64_t to_uint64(nb::handle value, std::string_view what) {
  const nb::object number = whole(value, what);
  const uint64_t result = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    raise_out_of_range<uint64_t>(value, what);
  }
  return result;
}

double to_double(nb::handle value, std::string_view what) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (!PyErr_Occurred()) return number;
  PyErr_Clear();
  raise(fail(what, " is ", shown(value), "; a number is wanted"));
}

float to_float(nb::handle value, std::string_view what) {
  const double number = to_double(value, what);
  // NaN is not either.
  if (!(std::fabs(number) <= std::numeric_limits<float>::max())) {
    raise(fail(what, " is ", shown(value), "; a number that a float32 can hold is wanted"));
  }
  return static_cast<float>(number);
}

std::vector<int64_t> to_tokens(nb::handle values) {
  PyObject* sequence = PySequence_Fast(values.ptr(), "");
  if (!sequence) {
    PyErr_Clear();
    raise(fail("tokens are ", shown(values), "; a list of whole numbers is wanted"));
  }
  const nb::object owner = nb::steal(sequence);
  std::vector<int64_t> tokens;
  tokens.reserve(static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence)));
  // The size anew each time: what stands for a number may be code that changes the list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
    const nb::object token = nb::borrow(PySequence_Fast_GET_ITEM(sequence, i));
    tokens.push_back(to_int64(token, text("token ", i)));
  }
  return tokens;
}

}  // namespace highwater::python
