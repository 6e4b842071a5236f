#include "runtime/choices.h"

#include <algorithm>

#include "base/checked.h"
#include "passes/passes.h"
#include "platform/environment.h"
#include "platform/number.h"

namespace highwater {
namespace {

constexpr std::string_view kKinds[] = {"gpu", "software"};
constexpr std::string_view kSwitch[] = {"0", "1"};
constexpr const char* kWithoutPasses = "HIGHWATER_WITHOUT_PASSES";
constexpr const char* kBindingBytes = "HIGHWATER_BINDING_BYTES";

Result<std::optional<uint64_t>> chosen_binding_bytes() {
  const auto value = variable(kBindingBytes);
  if (!value) return std::optional<uint64_t>();
  constexpr auto kLeast = static_cast<double>(DeviceTraits::kBindingAlignment);
  constexpr double kMost = 1e15;
  const std::optional<double> bytes = read_number(*value);
  if (!bytes || !(*bytes >= kLeast && *bytes <= kMost)) {
    return fail("the variable ", kBindingBytes, " is '", *value, "'; it can be a number from ",
                DeviceTraits::kBindingAlignment, " on");
  }
  return std::optional(static_cast<uint64_t>(*bytes));
}

}  // namespace

Result<Choices> Choices::read(std::string_view without_passes, std::optional<bool> half_cache) {
  HW_CHECK(check_pass_names(without_passes));
  Choices choices;
  choices.without_passes = without_passes;
  choices.half_cache = half_cache;
  HW_TRY(const auto kind, chosen_by("HIGHWATER_KERNELS", kKinds));
  if (kind) choices.software = *kind == 1;
  HW_TRY(const auto halved, chosen_by("HIGHWATER_HALF_CACHE", kSwitch));
  if (halved) choices.half_cache = *halved == 1;
  HW_TRY(const auto poisoned, chosen_by("HIGHWATER_POISON", kSwitch));
  if (poisoned) choices.poisoned = *poisoned == 1;
  HW_TRY(choices.binding_bytes, chosen_binding_bytes());
  if (const auto without = variable(kWithoutPasses)) {
    choices.without_passes = *without;
    Status checked = check_pass_names(*without);
    if (!checked) return checked.take_error().within(text("the variable ", kWithoutPasses));
  }
  return choices;
}

DeviceTraits traits_of(const gpu::Device& device, const Choices& choices) {
  DeviceTraits traits;
  const gpu::AdapterDescription& adapter = device.adapter();
  const bool on_cpu = adapter.type == "CPU";
  traits.software = choices.software.value_or(on_cpu);
  if (!on_cpu) traits.most_rounds = DeviceTraits::kAnyRounds;
  traits.lanes = device.subgroup_size();
  traits.enable_subgroups = adapter.subgroups_must_be_enabled;
  traits.half = !traits.software && adapter.has(gpu::kShaderF16);
  const uint64_t allowed = adapter.limits.max_storage_binding_size;
  traits.binding_bytes = round_down(std::min(allowed, choices.binding_bytes.value_or(allowed)),
                                    DeviceTraits::kBindingAlignment);
  traits.most_buffers = adapter.limits.max_storage_buffers;
  return traits;
}

DeviceTraits traits_without_device(const Choices& choices) {
  DeviceTraits traits;
  traits.software = choices.software.value_or(false);
  if (!traits.software) traits.most_rounds = DeviceTraits::kAnyRounds;
  return traits;
}

bool prefers_half_caches(const gpu::AdapterDescription& adapter) {
  return adapter.type != "CPU" && adapter.has(gpu::kShaderF16);
}

void rewrite(Program& program, const Choices& choices, const gpu::AdapterDescription& adapter) {
  run_passes(program, choices.without_passes);
  if (choices.half_cache.value_or(prefers_half_caches(adapter))) halve_caches(program);
}

}  // namespace highwater
