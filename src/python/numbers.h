// Numbers as Python gives them: of any size and type.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace highwater::python {

// Each raises a HighwaterError that names `what`, the number, and what is allowed. Whole numbers
// may be of any type that stands for one, such as NumPy's.
int64_t to_int64(nanobind::handle value, std::string_view what);
uint64_t to_uint64(nanobind::handle value, std::string_view what);
double to_double(nanobind::handle value, std::string_view what);  // infinity and NaN as well
float to_float(nanobind::handle value, std::string_view what);
std::vector<int64_t> to_tokens(nanobind::handle values);

// As Python would print it, but not at any length.
std::string shown(nanobind::handle value);

}  // namespace highwater::python
