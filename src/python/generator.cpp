#include "highwater/generator.h"

#include <nanobind/stl/vector.h>

#include <chrono>

#include "python/bindings.h"
#include "python/file.h"
#include "python/numbers.h"
#include "python/options.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

using Shared = Guarded<Generator>;
using Tokens = std::vector<int64_t>;

// Of the model itself, without what the generator adds to it.
constexpr size_t kInputs = 2, kOutputs = 1;

std::unique_ptr<Shared> open(const nb::object& given, const nb::object& adapter,
                             std::optional<bool> half_cache, const nb::object& without_passes,
                             const nb::object& timeout, bool recover,
                             std::optional<PythonProgress> progress) {
  const FileArgument source(given);
  if (recover) source.check_stays();
  Options options(adapter, half_cache, without_passes, timeout, recover, std::move(progress));
  return options.open_with<Generator>(
      source.file(), [&](const SessionOptions& o) { return Generator::open(source.file(), o); });
}

Tokens vector_of(std::span<const int64_t> span) {
  return {span.begin(), span.end()};
}

Sampling sampling_of(nb::handle temperature, nb::handle top_k, nb::handle top_p, nb::handle seed) {
  return {to_float(temperature, "temperature"), to_int64(top_k, "top_k"), to_float(top_p, "top_p"),
          to_uint64(seed, "seed")};
}

Result<Tokens> draw_tokens(Generator& g, size_t count, const Sampling& sampling) {
  HW_TRY(const auto drawn, g.draw(count, sampling));
  return vector_of(drawn);
}

Tokens draw(Shared& guarded, nb::handle count, nb::handle temperature, nb::handle top_k,
            nb::handle top_p, nb::handle seed) {
  const size_t wanted = to_uint64(count, "count");
  const Sampling sampling = sampling_of(temperature, top_k, top_p, seed);
  return value_or_raise(
      guarded.use([&](Generator& g) { return draw_tokens(g, wanted, sampling); }));
}

// In one use, so that no other thread's text comes between.
nb::tuple draw_after(Shared& guarded, nb::handle text, nb::handle count, nb::handle temperature,
                     nb::handle top_k, nb::handle top_p, nb::handle seed) {
  const Tokens tokens = to_tokens(text);
  const size_t wanted = to_uint64(count, "count");
  const Sampling sampling = sampling_of(temperature, top_k, top_p, seed);
  Accounts accounts;
  double seconds = 0;  // not those in which another thread had its turn
  const Tokens drawn = value_or_raise(guarded.use([&](Generator& g) -> Result<Tokens> {
    const auto start = std::chrono::steady_clock::now();
    HW_CHECK(g.set_text(tokens));
    HW_TRY(Tokens result, draw_tokens(g, wanted, sampling));
    accounts = g.accounts();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }));
  return nb::make_tuple(drawn, to_dict(accounts), seconds);
}

void append(Shared& guarded, nb::handle given) {
  const Tokens tokens = to_tokens(given);
  check_or_raise(guarded.use([&](Generator& g) { return g.append(tokens); }));
}

void set_text(Shared& guarded, nb::handle given) {
  const Tokens tokens = to_tokens(given);
  check_or_raise(guarded.use([&](Generator& g) { return g.set_text(tokens); }));
}

void rewind(Shared& guarded, nb::handle given) {
  const size_t length = to_uint64(given, "length");
  check_or_raise(guarded.use([&](Generator& g) { return g.rewind(length); }));
}

nb::list run(Shared& guarded, const nb::args& values) {
  const Inputs inputs(values);
  return to_list(value_or_raise(guarded.use([&](Generator& g) -> Result<std::vector<Output>> {
    HW_CHECK(g.run(inputs.all()));
    return Output::first(g.session(), kOutputs);
  })));
}

void check(const nb::object& given) {
  const FileArgument source(given);
  std::optional<Status> checked;
  {
    const LeavePython out;
    checked.emplace(Generator::check(source.file()));
  }
  check_or_raise(*checked);
}

}  // namespace

void bind_generator(nb::module_& m) {
  using G = Generator;
  nb::class_<Shared>(m, "Generator", "A text that a language model goes on with.")
      .def_static("open", &open, nb::arg("file").none(), nb::kw_only(),
                  nb::arg("adapter").none() = "", nb::arg("half_cache") = nb::none(),
                  nb::arg("without_passes").none() = "", nb::arg("timeout_seconds") = nb::none(),
                  nb::arg("recover") = false, nb::arg("progress") = nb::none(),
                  nb::keep_alive<0, 1>())
      .def_static("check", &check, nb::arg("file").none(),
                  "Raises, with the reason, if it is not a language model with a cache.")
      .def("close", &Shared::close, "Gives the device's memory back, after a run under way.")
      .def("append", &append, nb::arg("tokens").none(), "Adds tokens to the text.")
      .def("set_text", &set_text, nb::arg("tokens").none(),
           "Makes this the text; what it begins with in common with the last is not fed again.")
      .def("draw", &draw, nb::arg("count").none(), nb::kw_only(),
           nb::arg("temperature").none() = 0.0f, nb::arg("top_k").none() = 0,
           nb::arg("top_p").none() = 1.0f, nb::arg("seed").none() = 0,
           "Draws tokens, all in one submit, and gives them.")
      .def("draw_after", &draw_after, nb::arg("text").none(), nb::arg("count").none(),
           nb::kw_only(), nb::arg("temperature").none() = 0.0f, nb::arg("top_k").none() = 0,
           nb::arg("top_p").none() = 1.0f, nb::arg("seed").none() = 0,
           "Sets the text and draws; gives the tokens, the accounts and the seconds.")
      .def("rewind", &rewind, nb::arg("length").none(),
           "Goes back to the first tokens of the text.")
      .def("run", &run, "Runs the model itself, for its logits.")
      .def_prop_ro("inputs",
                   [](Shared& s) {
                     return to_list(s.use([](G& g) { return input_specs(g.session(), kInputs); }));
                   })
      .def_prop_ro(
          "outputs",
          [](Shared& s) {
            return to_list(s.use([](G& g) { return output_specs(g.session(), kOutputs); }));
          })
      .def_prop_ro("text", reads<G>([](G& g) { return vector_of(g.text()); }))
      .def_prop_ro("length", reads<G>([](G& g) { return g.text().size(); }))
      .def_prop_ro("capacity", reads<G>([](G& g) { return g.capacity(); }))
      .def_prop_ro("longest_step", reads<G>([](G& g) { return g.longest_step(); }))
      .def_prop_ro("vocabulary", reads<G>([](G& g) { return g.vocabulary(); }))
      .def_prop_ro("end_tokens", reads<G>([](G& g) { return vector_of(g.end_tokens()); }))
      .def_prop_ro("begin_token", reads<G>([](G& g) { return g.begin_token(); }))
      .def_prop_ro("accounts", reads_accounts<G>([](G& g) { return g.accounts(); }))
      .def_prop_ro("run_accounts",
                   reads_accounts<G>([](G& g) { return g.session().run_accounts(); }))
      .def_prop_ro("load_accounts",
                   reads_accounts<G>([](G& g) { return g.session().load_accounts(); }))
      .def_prop_ro("kernels", reads<G>([](G& g) { return g.session().kernels(); }))
      .def_prop_ro("adapter",
                   reads<G>([](G& g) { return std::string(g.session().adapter_name()); }));
}

}  // namespace highwater::python
