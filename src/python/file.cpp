#include "python/file.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "highwater/inspect.h"
#include "python/bindings.h"
#include "python/leave_python.h"
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

nb::dict methods_of(const PythonFile& given) {
  nb::dict methods;
  for (const MethodSummary& method : given.file().methods()) {
    nb::dict d;
    d["delegates"] = method.delegates;
    d["cpu_ops"] = method.cpu_ops;
    d["inputs"] = inputs_of(method);
    d["integers"] = method.integers;
    d["texts"] = method.texts;
    methods[method.name.c_str()] = d;
  }
  return methods;
}

const char* runner_of(const PythonFile& given, nb::handle method) {
  switch (given.file().runner(to_text(method, "method"))) {
    case Runner::Generator:
      return "Generator";
    case Runner::ExecuTorch:
      return "ExecuTorch";
    case Runner::Session:
      break;
  }
  return "Session";
}

std::vector<std::string> delegated_ops(const PythonFile& given, nb::handle method) {
  return value_or_raise(given.file().delegated_ops(to_text(method, "method")));
}

std::string inspected(const PythonFile& given, nb::handle method, std::vector<std::string> at,
                      bool wgsl) {
  const InspectOptions options{to_text(method, "method"), std::move(at), wgsl};
  std::optional<Result<std::string>> report;
  {
    const LeavePython out;
    report.emplace(inspect(given.file(), options));
  }
  return value_or_raise(*std::move(report));
}

std::string device_list() {
  std::optional<Result<std::string>> list;
  {
    const LeavePython out;
    list.emplace(devices());
  }
  return value_or_raise(*std::move(list));
}

// Shapes of tensors, and integers.
class PythonCallCheck {
 public:
  PythonCallCheck(const PythonFile& given, const std::string& method)
      : check_(value_or_raise(CallCheck::open(given.file(), method))) {}

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

}  // namespace

PythonFile::PythonFile(nb::handle source) {
  const bool is_content = PyObject_CheckBuffer(source.ptr());
  std::string path;
  if (!is_content) {
    path = to_path(source);
  } else if (PyObject_GetBuffer(source.ptr(), &bytes_, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    raise(fail("the bytes of a program must lie in one piece"));
  }
  std::optional<Result<File>> opened;
  {
    const LeavePython out;
    const std::span bytes(static_cast<const std::byte*>(bytes_.buf),
                          static_cast<size_t>(bytes_.len));
    opened.emplace(is_content ? File::in_memory(bytes) : File::open(path));
  }
  if (!opened->ok()) {
    PyBuffer_Release(&bytes_);
    raise(opened->error());
  }
  file_ = **std::move(opened);
}

PythonFile::~PythonFile() {
  file_.reset();
  PyBuffer_Release(&bytes_);
}

FileArgument::FileArgument(nb::handle given) {
  if (!nb::isinstance<PythonFile>(given)) opened_ = std::make_unique<PythonFile>(given);
  file_ = opened_ ? opened_.get() : nb::inst_ptr<PythonFile>(given);
}

void FileArgument::check_stays() const {
  if (!opened_ || !opened_->is_in_memory()) return;
  raise(fail("to recover, the program is read again: give a File, which keeps its bytes"));
}

void bind_file(nb::module_& m) {
  nb::class_<PythonFile>(m, "File", "A .pte file, or its bytes.")
      .def(
          "__init__",
          [](PythonFile* self, const nb::object& source) { new (self) PythonFile(source); },
          nb::arg("source").none())
      .def_prop_ro("methods", &methods_of,
                   "By name: delegates, ops left to the CPU, inputs, and constants.")
      .def("runner", &runner_of, nb::arg("method").none() = "forward",
           "What can run a method: Session, Generator, or ExecuTorch if it is in pieces.")
      .def("delegated_ops", &delegated_ops, nb::arg("method").none() = "forward",
           "The ops of a method that are delegated to Highwater, in order.")
      .def("inspect", &inspected, nb::kw_only(), nb::arg("method").none() = "",
           nb::arg("at") = std::vector<std::string>(), nb::arg("wgsl") = false,
           "What is in it, and what would be run of it at which live shapes, as JSON.");
  nb::class_<PythonCallCheck>(m, "CallCheck", "Holds calls to what a method was exported for.")
      .def(nb::init<const PythonFile&, const std::string&>(), nb::arg("file"), nb::arg("method"))
      .def("check", &PythonCallCheck::check, "Of shapes and integers, in the order of the inputs.");
  m.def("supported_ops", &supported_ops, "All ops that can run, as JSON.");
  m.def("devices", &device_list, "The adapters of this machine, as JSON.");
}

}  // namespace highwater::python
