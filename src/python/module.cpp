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

// How a session tells of its inputs, or of its outputs.
struct Side {
  bool (Session::*is_scalar)(size_t) const;
  DType (Session::*dtype)(size_t) const;
  const Dims& (Session::*bound)(size_t) const;
  // Of inputs only.
  std::string_view (Session::*name)(size_t) const = nullptr;
  Dims (Session::*least)(size_t) const = nullptr;
};
constexpr Side kInputs{&Session::input_is_scalar, &Session::input_dtype, &Session::input_bound,
                       &Session::input_name, &Session::input_least};
constexpr Side kOutputs{&Session::output_is_scalar, &Session::output_dtype, &Session::output_bound};

nb::tuple tuple_of(const Dims& dims) {
  return nb::tuple(nb::cast(std::vector<int64_t>(dims.begin(), dims.end())));
}

nb::list specs(const Session& session, const Side& side, size_t count) {
  nb::list list;
  for (size_t i = 0; i < count; ++i) {
    nb::dict d;
    const std::string_view called = side.name ? (session.*side.name)(i) : std::string_view();
    if (!called.empty()) d["name"] = nb::str(called.data(), called.size());
    const bool is_scalar = (session.*side.is_scalar)(i);
    d["kind"] = is_scalar ? "integer" : "tensor";
    if (!is_scalar) {
      const std::string_view type = name((session.*side.dtype)(i));
      d["dtype"] = nb::str(type.data(), type.size());
      if (side.least) d["least"] = tuple_of((session.*side.least)(i));
      d["bound"] = tuple_of((session.*side.bound)(i));
    }
    list.append(d);
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
      .def_prop_ro("inputs", [](const Session& s) { return specs(s, kInputs, s.input_count()); })
      .def_prop_ro("outputs", [](const Session& s) { return specs(s, kOutputs, s.output_count()); })
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
      .def_prop_ro("inputs", [](const Generator& g) { return specs(g.session(), kInputs, 2); })
      .def_prop_ro("outputs", [](const Generator& g) { return specs(g.session(), kOutputs, 1); })
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
