// Between Python's arrays and the engine's tensors.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <vector>

#include "highwater/session.h"
#include "python/raise.h"

namespace highwater::python {

// Any array that lives in the host's memory. What is not contiguous is copied, all else is not.
using Array = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;
using NumpyArray = nanobind::ndarray<nanobind::numpy>;

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

}  // namespace highwater::python
