// highwater._native: the C++ Session and Generator for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <optional>

#include "highwater/file.h"
#include "highwater/generator.h"
#include "highwater/session.h"
#include "python/convert.h"
#include "python/profile.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

using PythonProgress = std::function<void(std::string, size_t, size_t)>;

// Options as Python gives them. An exception in the progress callback must not pass through the
// engine, which is compiled without them: it waits until the engine has returned.
class Options {
 public:
  Options(std::string adapter, bool half_cache, std::string without_passes,
          std::optional<PythonProgress> progress)
      : progress_(std::move(progress)) {
    options_.adapter = std::move(adapter);
    options_.half_cache = half_cache;
    options_.without_passes = std::move(without_passes);
    if (!progress_) return;
    options_.progress = [this](std::string_view stage, size_t done, size_t total) {
      if (raised_) return;
      const nb::gil_scoped_acquire gil;
      try {
        (*progress_)(std::string(stage), done, total);
      } catch (const nb::python_error&) {
        raised_ = std::current_exception();
      }
    };
  }

  // Without Python's lock while the engine works.
  template <class T, class Open>
  std::unique_ptr<T> open_with(const Open& open) {
    std::optional<Result<std::unique_ptr<T>>> opened;
    {
      const nb::gil_scoped_release release;
      opened.emplace(open(options_));
    }
    if (raised_) std::rethrow_exception(raised_);
    return value_or_raise(*std::move(opened));
  }

 private:
  SessionOptions options_;
  std::optional<PythonProgress> progress_;
  std::exception_ptr raised_;
};

nb::dict spec(bool is_scalar, DType dtype, const Dims& bound) {
  nb::dict d;
  d["kind"] = is_scalar ? "integer" : "tensor";
  if (is_scalar) return d;
  const std::string_view type = name(dtype);
  d["dtype"] = nb::str(type.data(), type.size());
  d["bound"] = nb::tuple(nb::cast(std::vector<int64_t>(bound.begin(), bound.end())));
  return d;
}

nb::list inputs_of(const Session& s, size_t count) {
  nb::list list;
  for (size_t i = 0; i < count; ++i) {
    const bool scalar = s.input_is_scalar(i);
    list.append(spec(scalar, scalar ? DType::Int64 : s.input_dtype(i), s.input_bound(i)));
  }
  return list;
}

nb::list outputs_of(const Session& s, size_t count) {
  nb::list list;
  for (size_t i = 0; i < count; ++i) {
    const bool scalar = s.output_is_scalar(i);
    list.append(spec(scalar, scalar ? DType::Int64 : s.output_dtype(i), s.output_bound(i)));
  }
  return list;
}

// Both a session and a generator run the model; the generator has outputs of its own beyond it.
template <class Runner>
nb::list run(Runner& runner, const Session& session, size_t outputs, const nb::args& values) {
  const Inputs inputs(values);
  Status status;
  {
    const nb::gil_scoped_release release;
    status = runner.run(inputs.all());
  }
  check_or_raise(status);
  nb::list list;
  for (size_t i = 0; i < outputs; ++i) list.append(from_output(session, i));
  return list;
}

nb::dict methods_of(const std::string& path) {
  nb::dict methods;
  for (const MethodSummary& method : value_or_raise(summarize(path))) {
    nb::dict d;
    d["delegates"] = method.delegates;
    d["cpu_ops"] = method.cpu_ops;
    d["integers"] = method.integers;
    methods[method.name.c_str()] = d;
  }
  return methods;
}

std::vector<int64_t> draw(Generator& g, size_t count, float temperature, int64_t top_k, float top_p,
                          uint64_t seed) {
  std::optional<Result<std::span<const int64_t>>> drawn;
  {
    const nb::gil_scoped_release release;
    drawn.emplace(g.draw(count, {temperature, top_k, top_p, seed}));
  }
  const auto tokens = value_or_raise(*std::move(drawn));
  return {tokens.begin(), tokens.end()};
}

std::vector<int64_t> vector_of(std::span<const int64_t> span) {
  return {span.begin(), span.end()};
}

void bind_session(nb::module_& m) {
  nb::class_<Session>(m, "Session", "A program on a device.")
      .def_static(
          "open",
          [](const std::string& path, const std::string& method, std::string adapter,
             bool half_cache, std::string without_passes, std::optional<PythonProgress> progress) {
            Options options(std::move(adapter), half_cache, std::move(without_passes),
                            std::move(progress));
            return options.open_with<Session>(
                [&](const SessionOptions& o) { return Session::open(path, o, method); });
          },
          nb::arg("path"), nb::kw_only(), nb::arg("method") = "forward", nb::arg("adapter") = "",
          nb::arg("half_cache") = false, nb::arg("without_passes") = "",
          nb::arg("progress") = nb::none())
      .def(
          "run",
          [](Session& s, const nb::args& inputs) { return run(s, s, s.output_count(), inputs); },
          "Runs at the inputs' live shapes; gives all outputs.")
      .def("profile", &profile, nb::arg("inputs"), nb::arg("clock") = "",
           "Runs, and gives the outputs and the time of each dispatch.")
      .def_prop_ro("inputs", [](const Session& s) { return inputs_of(s, s.input_count()); })
      .def_prop_ro("outputs", [](const Session& s) { return outputs_of(s, s.output_count()); })
      .def_prop_ro("load_accounts", [](const Session& s) { return to_dict(s.load_accounts()); })
      .def_prop_ro("run_accounts", [](const Session& s) { return to_dict(s.run_accounts()); })
      .def_prop_ro("kernels", &Session::kernels, "Names of the kernels of the last run, in order.")
      .def_prop_ro("adapter", [](const Session& s) { return std::string(s.adapter_name()); });
}

void bind_generator(nb::module_& m) {
  nb::class_<Generator>(m, "Generator", "A text that a language model goes on with.")
      .def_static(
          "open",
          [](const std::string& path, std::string adapter, bool half_cache,
             std::string without_passes, std::optional<PythonProgress> progress) {
            Options options(std::move(adapter), half_cache, std::move(without_passes),
                            std::move(progress));
            return options.open_with<Generator>(
                [&](const SessionOptions& o) { return Generator::open(path, o); });
          },
          nb::arg("path"), nb::kw_only(), nb::arg("adapter") = "", nb::arg("half_cache") = false,
          nb::arg("without_passes") = "", nb::arg("progress") = nb::none())
      .def(
          "append",
          [](Generator& g, const std::vector<int64_t>& tokens) {
            check_or_raise(g.append(tokens));
          },
          nb::arg("tokens"), "Adds tokens to the text.")
      .def("draw", &draw, nb::arg("count"), nb::kw_only(), nb::arg("temperature") = 0.0f,
           nb::arg("top_k") = 0, nb::arg("top_p") = 1.0f, nb::arg("seed") = 0,
           "Draws tokens, all in one submit, and gives them.")
      .def(
          "rewind", [](Generator& g, size_t length) { check_or_raise(g.rewind(length)); },
          nb::arg("length"), "Goes back to the first tokens of the text.")
      .def(
          "run",
          [](Generator& g, const nb::args& inputs) { return run(g, g.session(), 1, inputs); },
          "Runs the model itself, for its logits.")
      .def_prop_ro("inputs", [](const Generator& g) { return inputs_of(g.session(), 2); })
      .def_prop_ro("outputs", [](const Generator& g) { return outputs_of(g.session(), 1); })
      .def_prop_ro("run_accounts",
                   [](const Generator& g) { return to_dict(g.session().run_accounts()); })
      .def_static(
          "check", [](const std::string& path) { check_or_raise(Generator::check(path)); },
          nb::arg("path"), "Raises, with the reason, if it is not a language model with a cache.")
      .def_prop_ro("text", [](const Generator& g) { return vector_of(g.text()); })
      .def_prop_ro("length", [](const Generator& g) { return g.text().size(); })
      .def_prop_ro("capacity", &Generator::capacity)
      .def_prop_ro("longest_step", &Generator::longest_step)
      .def_prop_ro("vocabulary", &Generator::vocabulary)
      .def_prop_ro("end_tokens", [](const Generator& g) { return vector_of(g.end_tokens()); })
      .def_prop_ro("begin_token", &Generator::begin_token)
      .def_prop_ro("accounts", [](const Generator& g) { return to_dict(g.accounts()); })
      .def_prop_ro("load_accounts",
                   [](const Generator& g) { return to_dict(g.session().load_accounts()); })
      .def_prop_ro("kernels", [](const Generator& g) { return g.session().kernels(); })
      .def_prop_ro("adapter",
                   [](const Generator& g) { return std::string(g.session().adapter_name()); });
}

}  // namespace
}  // namespace highwater::python

NB_MODULE(_native, m) {
  m.doc() = "Highwater's C++ interface.";
  highwater::python::bind_session(m);
  highwater::python::bind_generator(m);
  m.def("methods", &highwater::python::methods_of, nb::arg("path"),
        "The methods of a .pte file: delegates, ops left to the CPU, and constant integers.");
}
