#include "python/convert.h"

#include <memory>

namespace nb = nanobind;

namespace highwater::python {
namespace {

struct Pair {
  DType dtype;
  nb::dlpack::dtype_code code;
  uint8_t bits;
};

constexpr Pair kPairs[] = {
    {DType::Bool, nb::dlpack::dtype_code::Bool, 8},
    {DType::UInt8, nb::dlpack::dtype_code::UInt, 8},
    {DType::Int8, nb::dlpack::dtype_code::Int, 8},
    {DType::Int32, nb::dlpack::dtype_code::Int, 32},
    {DType::Int64, nb::dlpack::dtype_code::Int, 64},
    {DType::Float16, nb::dlpack::dtype_code::Float, 16},
    {DType::Float32, nb::dlpack::dtype_code::Float, 32},
    {DType::Float64, nb::dlpack::dtype_code::Float, 64},
};

DType dtype_of(const nb::dlpack::dtype& type) {
  for (const Pair& p : kPairs) {
    if (type.lanes == 1 && type.code == static_cast<uint8_t>(p.code) && type.bits == p.bits) {
      return p.dtype;
    }
  }
  raise(fail("an array has an element type that is not supported (code ", int{type.code}, ", ",
             int{type.bits},
             " bits); give float16, float32, float64, int8, uint8, int32, int64 "
             "or bool"));
}

nb::dlpack::dtype dlpack_of(DType dtype) {
  for (const Pair& p : kPairs) {
    if (p.dtype == dtype) return {static_cast<uint8_t>(p.code), p.bits, 1};
  }
  raise(fail("element type ", dtype));
}

HostTensor tensor_of(const Array& array) {
  HostTensor tensor;
  tensor.dtype = dtype_of(array.dtype());
  if (array.ndim() > Dims::kMaxRank) raise(fail("an input of rank ", array.ndim()));
  for (size_t d = 0; d < array.ndim(); ++d) {
    tensor.dims.push_back(static_cast<int64_t>(array.shape(d)));
  }
  tensor.data = array.data();
  return tensor;
}

}  // namespace

void raise(const Error& error) {
  const nb::object type = nb::module_::import_("highwater.errors").attr("HighwaterError");
  PyErr_SetString(type.ptr(), error.message().c_str());
  throw nb::python_error();
}

Inputs::Inputs(const nb::args& values) {
  arrays_.reserve(values.size());
  for (nb::handle value : values) {
    Array array;
    if (nb::isinstance<nb::int_>(value)) {
      inputs_.emplace_back(nb::cast<int64_t>(value));
    } else if (nb::try_cast(value, array)) {
      inputs_.emplace_back(tensor_of(array));
      arrays_.push_back(std::move(array));
    } else {
      const nb::str type = nb::str(value.type());
      raise(fail("input ", inputs_.size(), " is of ", type.c_str(),
                 "; a NumPy array, a torch tensor in the CPU's memory, or an int is wanted"));
    }
  }
}

nb::object from_output(const Session& session, size_t i) {
  if (session.output_is_scalar(i)) return nb::int_(session.output_scalar(i));
  const Dims& dims = session.output_dims(i);
  const DType dtype = session.output_dtype(i);
  const size_t bytes = static_cast<size_t>(dims.numel()) * byte_size(dtype);
  auto memory = std::make_unique<std::byte[]>(bytes);
  check_or_raise(session.read_output(i, dtype, {memory.get(), bytes}));
  const std::vector<size_t> shape(dims.begin(), dims.end());
  std::byte* const data = memory.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); });
  return nb::cast(NumpyArray(data, shape.size(), shape.data(), owner, nullptr, dlpack_of(dtype)));
}

nb::dict to_dict(const Accounts& a) {
  nb::dict d;
  for_each_account([&](const char* name, auto member) { d[name] = a.*member; });
  return d;
}

}  // namespace highwater::python
