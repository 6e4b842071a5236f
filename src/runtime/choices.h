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
  std::optional<bool> software;  // kernels for it; else the adapter says
  std::string without_passes;    // see run_passes
  bool half_cache = false;       // see halve_caches
  bool poisoned = false;         // memory beyond what is live is NaN

  // What the options say, unless a variable says otherwise: HIGHWATER_KERNELS, so that either kind
  // of kernel can be tried anywhere, HIGHWATER_WITHOUT_PASSES, HIGHWATER_HALF_CACHE and
  // HIGHWATER_POISON. A word that means nothing is an error.
  static Result<Choices> read(std::string_view without_passes = {}, bool half_cache = false);
};

DeviceTraits traits_of(const gpu::Device& device, const Choices& choices);
// Those of a GPU about which nothing is known.
DeviceTraits traits_without_device(const Choices& choices);

void rewrite(Program& program, const Choices& choices);

}  // namespace highwater
