#include "highwater/listing.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "python/bindings.h"
#include "python/file.h"
#include "python/texts.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

std::unique_ptr<Listing> open_listing(const PythonFile& given, nb::handle method, bool as_run,
                                      nb::handle without_passes) {
  return value_or_raise(Listing::open(given.file(), to_text(method, "method"),
                                      as_run ? Rewriting::AsRun : Rewriting::None,
                                      to_text(without_passes, "without_passes")));
}

nb::bytes constant_of(const Listing& listing, size_t i) {
  const std::vector<std::byte> bytes = value_or_raise(listing.constant(i));
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_listing(nb::module_& m) {
  nb::class_<Listing>(m, "Listing", "A method's program, call by call.")
      .def_static("open", &open_listing, nb::arg("file"), nb::arg("method").none() = "forward",
                  nb::kw_only(), nb::arg("as_run") = false, nb::arg("without_passes").none() = "",
                  nb::keep_alive<0, 1>())
      .def_prop_ro("text", &Listing::text, "Values, calls, inputs and outputs, as JSON.")
      .def("constant", &constant_of, nb::arg("index"), "The bytes of a constant, as in the file.");
}

}  // namespace highwater::python
