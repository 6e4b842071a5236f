// highwater._native: the C++ Session and Generator for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "highwater/file.h"
#include "python/bindings.h"
#include "python/numbers.h"
#include "python/texts.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

nb::list inputs_of(const MethodSummary& method) {
  nb::list list;
  for (const InputSummary& input : method.inputs) {
    nb::dict d;
    if (!input.name.empty()) d["name"] = input.name;
    if (!input.least.empty()) d["least"] = nb::tuple(nb::cast(input.least));
    list.append(d);
  }
  return list;
}

// Shapes of tensors, and integers.
class PythonCallCheck {
 public:
  PythonCallCheck(const nb::object& path, const std::string& method)
      : check_(value_or_raise(CallCheck::open(to_path(path), method))) {}

  void check(const nb::args& values) {
    std::vector<Input> inputs;
    for (nb::handle value : values) {
      std::vector<int64_t> shape;
      if (nb::isinstance<nb::int_>(value)) {
        inputs.emplace_back(to_int64(value, "an input"));
      } else if (nb::try_cast(value, shape)) {
        inputs.emplace_back(HostTensor{DType::Float32, value_or_raise(Dims::make(shape)), nullptr});
      }
    }
    check_or_raise(check_->check(inputs));
  }

 private:
  std::unique_ptr<CallCheck> check_;
};

nb::dict methods_of(const nb::object& given_path) {
  const std::string path = to_path(given_path);
  std::optional<Result<std::vector<MethodSummary>>> summaries;
  {
    const LeavePython out;
    summaries.emplace(summarize(path));
  }
  nb::dict methods;
  for (const MethodSummary& method : value_or_raise(*std::move(summaries))) {
    nb::dict d;
    d["delegates"] = method.delegates;
    d["cpu_ops"] = method.cpu_ops;
    d["inputs"] = inputs_of(method);
    d["integers"] = method.integers;
    methods[method.name.c_str()] = d;
  }
  return methods;
}

}  // namespace
}  // namespace highwater::python

NB_MODULE(_native, m) {
  m.doc() = "Highwater's C++ interface.";
  // A daemon thread keeps what it uses beyond the end of Python, which is no fault.
  nb::set_leak_warnings(false);
  highwater::python::bind_session(m);
  highwater::python::bind_generator(m);
  m.def("methods", &highwater::python::methods_of, nb::arg("path").none(),
        "The methods of a .pte file: delegates, ops left to the CPU, and constant integers.");
  using highwater::python::PythonCallCheck;
  nb::class_<PythonCallCheck>(m, "CallCheck", "Holds calls to what a method was exported for.")
      .def(nb::init<const nb::object&, const std::string&>(), nb::arg("path"), nb::arg("method"))
      .def("check", &PythonCallCheck::check, "Of shapes and integers, in the order of the inputs.");
  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function(&highwater::python::wait_for_others));
}
