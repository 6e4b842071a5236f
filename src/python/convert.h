// Between Python's arrays and the engine's tensors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <vector>

#include "highwater/session.h"

namespace highwater::python {

// Any array that lives in the host's memory. What is not contiguous is copied, all else is not.
using Array = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;
using NumpyArray = nanobind::ndarray<nanobind::numpy>;

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

// Integers and arrays, as inputs that are valid while this lives.
class Inputs {
 public:
  explicit Inputs(const nanobind::args& values);
  std::span<const Input> all() const { return inputs_; }

 private:
  std::vector<Array> arrays_;
  std::vector<Input> inputs_;
};

// A copy of an output of a session's last run, made without Python.
class Output {
 public:
  static Result<std::vector<Output>> first(const Session& session, size_t count);
  // A NumPy array that owns the copy, or an int.
  nanobind::object to_python() &&;

 private:
  std::optional<int64_t> scalar_;
  Dims dims_;
  DType dtype_ = DType::Float32;
  std::unique_ptr<std::byte[]> memory_;
};
nanobind::list to_list(std::vector<Output> outputs);

nanobind::dict to_dict(const Accounts& accounts);

}  // namespace highwater::python
