// Texts and paths as Python gives them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace highwater::python {

// Raises a HighwaterError that names `what` if it is no text, or one that cannot be UTF-8.
std::string to_text(nanobind::handle value, std::string_view what);

// The bytes of a path as the system has them, which need not be UTF-8: of a text, of bytes, or of
// anything else that Python takes for a path. Raises a HighwaterError if it is none.
std::string to_path(nanobind::handle value);

}  // namespace highwater::python
