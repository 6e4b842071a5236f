// Errors for Python.
#pragma once

#include "highwater/result.h"

namespace highwater::python {

// Raises highwater.HighwaterError with the error's own words.
[[noreturn]] void raise(const Error& error);

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}
inline void check_or_raise(const Status& status) {
  if (!status) raise(status.error());
}

}  // namespace highwater::python
