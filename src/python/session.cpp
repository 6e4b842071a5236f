#include <nanobind/stl/vector.h>

#include "python/bindings.h"
#include "python/file.h"
#include "python/options.h"
#include "python/profile.h"
#include "python/texts.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

// How a session tells of its inputs, or of its outputs.
struct Side {
  bool (Session::*is_scalar)(size_t) const;
  DType (Session::*dtype)(size_t) const;
  const Dims& (Session::*bound)(size_t) const;
};
constexpr Side kInputs{&Session::input_is_scalar, &Session::input_dtype, &Session::input_bound};
constexpr Side kOutputs{&Session::output_is_scalar, &Session::output_dtype, &Session::output_bound};

std::vector<Spec> specs(const Session& session, const Side& side, size_t count) {
  std::vector<Spec> result(count);
  for (size_t i = 0; i < count; ++i) {
    if ((session.*side.is_scalar)(i)) continue;
    const Dims& bound = (session.*side.bound)(i);
    result[i].dtype = (session.*side.dtype)(i);
    result[i].bound = {bound.begin(), bound.end()};
  }
  return result;
}

std::unique_ptr<Guarded<Session>> open(const nb::object& given, const nb::object& given_method,
                                       const nb::object& adapter, std::optional<bool> half_cache,
                                       const nb::object& without_passes, const nb::object& timeout,
                                       bool recover, bool gives_all,
                                       std::optional<PythonProgress> progress) {
  const FileArgument source(given);
  if (recover) source.check_stays();
  const std::string method = to_text(given_method, "method");
  Options options(adapter, half_cache, without_passes, timeout, recover, std::move(progress));
  return options.open_with<Session>(source.file(), [&](SessionOptions o) {
    o.gives_all = gives_all;
    return Session::open(source.file(), o, method);
  });
}

nb::list run(Guarded<Session>& guarded, const nb::args& values) {
  const Inputs inputs(values);
  return to_list(value_or_raise(guarded.use([&](Session& s) -> Result<std::vector<Output>> {
    HW_CHECK(s.run(inputs.all()));
    return Output::first(s, s.output_count());
  })));
}

}  // namespace

std::vector<Spec> input_specs(const Session& session, size_t count) {
  std::vector<Spec> result = specs(session, kInputs, count);
  for (size_t i = 0; i < count; ++i) {
    result[i].name = session.input_name(i);
    if (!result[i].dtype) continue;
    const Dims least = session.input_least(i);
    result[i].least.emplace(least.begin(), least.end());
  }
  return result;
}

std::vector<Spec> output_specs(const Session& session, size_t count) {
  return specs(session, kOutputs, count);
}

nb::list to_list(const std::vector<Spec>& specs) {
  nb::list list;
  for (const Spec& spec : specs) {
    nb::dict d;
    if (!spec.name.empty()) d["name"] = spec.name;
    d["kind"] = spec.dtype ? "tensor" : "integer";
    if (spec.dtype) {
      const std::string_view type = name(*spec.dtype);
      d["dtype"] = nb::str(type.data(), type.size());
      if (spec.least) d["least"] = nb::tuple(nb::cast(*spec.least));
      d["bound"] = nb::tuple(nb::cast(spec.bound));
    }
    list.append(d);
  }
  return list;
}

void bind_session(nb::module_& m) {
  using Shared = Guarded<Session>;
  const auto inputs = [](Session& s) { return input_specs(s, s.input_count()); };
  const auto outputs = [](Session& s) { return output_specs(s, s.output_count()); };
  nb::class_<Shared>(m, "Session", "A program on a device.")
      .def_static("open", &open, nb::arg("file").none(), nb::kw_only(),
                  nb::arg("method").none() = "forward", nb::arg("adapter").none() = "",
                  nb::arg("half_cache") = nb::none(), nb::arg("without_passes").none() = "",
                  nb::arg("timeout_seconds") = nb::none(), nb::arg("recover") = false,
                  nb::arg("gives_all") = false, nb::arg("progress") = nb::none(),
                  nb::keep_alive<0, 1>())
      .def("close", &Shared::close, "Gives the device's memory back, after a run under way.")
      .def("run", &run, "Runs at the inputs' live shapes; gives all outputs.")
      .def("profile", &profile, nb::arg("inputs"), nb::arg("clock").none() = "",
           "Runs, and gives the outputs and the time of each dispatch.")
      .def_prop_ro("inputs", [=](Shared& s) { return to_list(s.use(inputs)); })
      .def_prop_ro("outputs", [=](Shared& s) { return to_list(s.use(outputs)); })
      .def_prop_ro("load_accounts",
                   reads_accounts<Session>([](Session& s) { return s.load_accounts(); }))
      .def_prop_ro("run_accounts",
                   reads_accounts<Session>([](Session& s) { return s.run_accounts(); }))
      .def_prop_ro("kernels", reads<Session>([](Session& s) { return s.kernels(); }),
                   "Names of the kernels of the last run, in order.")
      .def_prop_ro("adapter",
                   reads<Session>([](Session& s) { return std::string(s.adapter_name()); }));
}

}  // namespace highwater::python
