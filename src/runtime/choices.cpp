#include "runtime/choices.h"

#include <cstdlib>

#include "passes/passes.h"

namespace highwater {
namespace {

void override_kind(DeviceTraits& traits) {
  if (const char* kind = std::getenv("HIGHWATER_KERNELS")) {
    traits.software = std::string_view(kind) == "software";
  }
}

}  // namespace

DeviceTraits traits_of(const gpu::Device& device) {
  DeviceTraits traits;
  const gpu::AdapterDescription& adapter = device.adapter();
  traits.software = adapter.type == "CPU";
  if (!traits.software) traits.most_rounds = DeviceTraits::kAnyRounds;
  traits.lanes = device.subgroup_size();
  traits.enable_subgroups = adapter.subgroups_must_be_enabled;
  override_kind(traits);
  traits.half = !traits.software && adapter.has(gpu::kShaderF16);
  return traits;
}

DeviceTraits traits_without_device() {
  DeviceTraits traits;
  traits.software = false;
  override_kind(traits);
  if (!traits.software) traits.most_rounds = DeviceTraits::kAnyRounds;
  return traits;
}

void rewrite(Program& program, std::string_view without_passes, bool half_cache) {
  const char* without = std::getenv("HIGHWATER_WITHOUT_PASSES");
  run_passes(program, without ? without : without_passes);
  if (const char* chosen = std::getenv("HIGHWATER_HALF_CACHE")) {
    half_cache = std::string_view(chosen) == "1";
  }
  if (half_cache) halve_caches(program);
}

}  // namespace highwater
