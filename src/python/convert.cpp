#include "python/convert.h"

#include "python/numbers.h"

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

std::string name_of(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  constexpr std::pair<Code, const char*> kNames[] = {
      {Code::Int, "int"},       {Code::UInt, "uint"},       {Code::Float, "float"},
      {Code::Bfloat, "bfloat"}, {Code::Complex, "complex"}, {Code::Bool, "bool"},
  };
  const std::string lanes = type.lanes == 1 ? "" : text(" in ", type.lanes, " lanes");
  for (const auto& [code, name] : kNames) {
    if (type.code == static_cast<uint8_t>(code)) return text(name, int{type.bits}, lanes);
  }
  return text("an element type of ", int{type.bits}, " bits (DLPack's code ", int{type.code}, ")",
              lanes);
}

DType dtype_of(const nb::dlpack::dtype& type, std::string_view what) {
  for (const Pair& p : kPairs) {
    if (type.lanes == 1 && type.code == static_cast<uint8_t>(p.code) && type.bits == p.bits) {
      return p.dtype;
    }
  }
  raise(fail(what, " is of ", name_of(type),
             ", which is not supported; give float16, float32, float64, int8, uint8, int32, int64 "
             "or bool (`x.float()` of a torch tensor, `x.astype(\"float32\")` of an array)"));
}

nb::dlpack::dtype dlpack_of(DType dtype) {
  for (const Pair& p : kPairs) {
    if (p.dtype == dtype) return {static_cast<uint8_t>(p.code), p.bits, 1};
  }
  raise(fail("element type ", dtype));
}

HostTensor tensor_of(const Array& array, std::string_view what) {
  HostTensor tensor;
  tensor.dtype = dtype_of(array.dtype(), what);
  if (array.ndim() > Dims::kMaxRank) {
    raise(fail(what, " has ", array.ndim(), " dims; at most ", Dims::kMaxRank, " are possible"));
  }
  for (size_t d = 0; d < array.ndim(); ++d) {
    tensor.dims.push_back(static_cast<int64_t>(array.shape(d)));
  }
  tensor.data = array.data();
  return tensor;
}

[[noreturn]] void raise_not_an_input(nb::handle value, std::string_view what) {
  const std::string type = shown(value.type());
  const std::string dtype =
      nb::hasattr(value, "dtype") ? text(" with dtype ", shown(value.attr("dtype"))) : "";
  raise(fail(what, " is of ", type, dtype,
             "; a NumPy array of numbers, a torch tensor in the CPU's memory and without a "
             "gradient, or an int is wanted"));
}

}  // namespace

Inputs::Inputs(const nb::args& values) {
  arrays_.reserve(values.size());
  for (nb::handle value : values) {
    const std::string what = text("input ", inputs_.size());
    Array array;
    if (nb::isinstance<nb::int_>(value)) {
      inputs_.emplace_back(to_int64(value, what));
    } else if (nb::try_cast(value, array)) {
      inputs_.emplace_back(tensor_of(array, what));
      arrays_.push_back(std::move(array));
    } else {
      raise_not_an_input(value, what);
    }
  }
}

Result<std::vector<Output>> Output::first(const Session& session, size_t count) {
  std::vector<Output> outputs(count);
  for (size_t i = 0; i < count; ++i) {
    Output& o = outputs[i];
    if (session.output_is_scalar(i)) {
      o.scalar_ = session.output_scalar(i);
      continue;
    }
    o.dims_ = session.output_dims(i);
    o.dtype_ = session.output_dtype(i);
    const size_t bytes = static_cast<size_t>(o.dims_.numel()) * byte_size(o.dtype_);
    o.memory_ = std::make_unique<std::byte[]>(bytes);
    HW_CHECK(session.read_output(i, o.dtype_, {o.memory_.get(), bytes}));
  }
  return outputs;
}

nb::object Output::to_python() && {
  if (scalar_) return nb::int_(*scalar_);
  const std::vector<size_t> shape(dims_.begin(), dims_.end());
  std::byte* const data = memory_.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); });
  return nb::cast(NumpyArray(data, shape.size(), shape.data(), owner, nullptr, dlpack_of(dtype_)));
}

nb::list to_list(std::vector<Output> outputs) {
  nb::list list;
  for (Output& output : outputs) list.append(std::move(output).to_python());
  return list;
}

}  // namespace highwater::python
