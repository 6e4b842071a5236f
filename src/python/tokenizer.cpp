#include "highwater/tokenizer.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings.h"
#include "python/numbers.h"
#include "python/raise.h"
#include "python/texts.h"

namespace nb = nanobind;

namespace highwater::python {

void bind_tokenizer(nb::module_& m) {
  nb::class_<Tokenizer>(m, "Tokenizer", "A tokenizer.json of the byte-level BPE kind.")
      .def_static(
          "open",
          [](const nb::object& path) { return value_or_raise(Tokenizer::open(to_path(path))); },
          nb::arg("path").none())
      .def(
          "encode",
          [](const Tokenizer& t, nb::handle text, bool goes_on) {
            return value_or_raise(t.encode(to_text(text, "the text"), goes_on));
          },
          nb::arg("text").none(), nb::kw_only(), nb::arg("goes_on") = false,
          "Tokens; with what begins a text, unless it goes on with another.")
      .def(
          "decode",
          [](const Tokenizer& t, nb::handle tokens) { return t.decode(to_tokens(tokens)); },
          nb::arg("tokens").none(), "The text of tokens, without special ones.");
}

}  // namespace highwater::python
