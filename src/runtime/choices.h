// What a device, options and the environment decide before a program becomes a graph.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "blob/program.h"
#include "gpu/device.h"
#include "graph/traits.h"

namespace highwater {

struct Choices {
  std::optional<bool> software;           // kernels for it; else the adapter says
  std::string without_passes;             // see run_passes
  std::optional<bool> half_cache;         // see halve_caches; else the adapter says
  bool poisoned = false;                  // memory beyond what is live is NaN
  std::optional<uint64_t> binding_bytes;  // as if the device bound no more at once

  // What the options say, unless a variable says otherwise: HIGHWATER_KERNELS, so that either kind
  // of kernel can be tried anywhere, HIGHWATER_WITHOUT_PASSES, HIGHWATER_HALF_CACHE,
  // HIGHWATER_POISON and HIGHWATER_BINDING_BYTES. A word that means nothing is an error.
  static Result<Choices> read(std::string_view without_passes = {},
                              std::optional<bool> half_cache = {});
};

DeviceTraits traits_of(const gpu::Device& device, const Choices& choices);
// Those of a GPU about which nothing is known.
DeviceTraits traits_without_device(const Choices& choices);

// Whether caches are halved where nobody says: on a GPU that takes halves as they are. A decode
// step of a long text spends its time reading them. A software adapter would only convert them.
bool prefers_half_caches(const gpu::AdapterDescription& adapter);

// For an adapter, if there is one.
void rewrite(Program& program, const Choices& choices, const gpu::AdapterDescription& adapter = {});

}  // namespace highwater
