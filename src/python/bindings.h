// The parts of the module, and what the bindings of sessions and of generators have in common.
#pragma once

#include <nanobind/nanobind.h>

#include "python/guarded.h"
#include "python/records.h"

namespace highwater::python {

void bind_file(nanobind::module_& m);
void bind_listing(nanobind::module_& m);
void bind_session(nanobind::module_& m);
void bind_generator(nanobind::module_& m);
void bind_tokenizer(nanobind::module_& m);

// What a model takes, or gives.
struct Spec {
  std::optional<DType> dtype;  // none of an integer
  std::vector<int64_t> bound;
  // Of an input, as far as its file says.
  std::string name;
  std::optional<std::vector<int64_t>> least;
};
std::vector<Spec> input_specs(const Session& session, size_t count);
std::vector<Spec> output_specs(const Session& session, size_t count);
nanobind::list to_list(const std::vector<Spec>& specs);

// A property of the object behind it.
template <class T, class Get>
auto reads(Get get) {
  return [get](Guarded<T>& guarded) { return guarded.use([&](T& object) { return get(object); }); };
}
// The same for accounts.
template <class T, class Get>
auto reads_accounts(Get get) {
  return [get](Guarded<T>& guarded) {
    return to_dict(guarded.use([&](T& object) -> Accounts { return get(object); }));
  };
}

}  // namespace highwater::python
