// How many invocations a subgroup has. Implementations tell only a range, so one is asked.
#include "gpu/subgroups.h"

#include <array>
#include <cstring>

#include "gpu/executable.h"

namespace highwater::gpu {
namespace {

constexpr uint32_t kInvocations = 64;

constexpr std::string_view kProbe = R"(
@group(0) @binding(1) var<storage, read_write> seen: array<vec2<u32>>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32,
                                     @builtin(subgroup_size) size: u32,
                                     @builtin(subgroup_invocation_id) id: u32) {
  seen[i] = vec2<u32>(size, id);
}
)";

using Seen = std::array<std::array<uint32_t, 2>, kInvocations>;

Result<Seen> probe(const std::shared_ptr<Device>& device) {
  Seen seen{};
  ExecutableSpec spec;
  spec.buffers = {{sizeof seen}};
  spec.steps = {{"subgroup probe", std::string(kProbe), {{0, true}}, 0, 0}};
  spec.read_back_size = sizeof seen;
  if (device->adapter().subgroups_must_be_enabled) {
    spec.steps[0].wgsl.insert(0, "enable subgroups;\n");
  }
  Accounts accounts;
  HW_TRY(const auto executable, Executable::create(device, spec, accounts));
  const Dispatch dispatch{0, 1, 1};
  const ReadBack read_back{0, sizeof seen};
  const Work work{.dispatches = {&dispatch, 1}, .read_backs = {&read_back, 1}};
  HW_CHECK(executable->run({&work, 1}, accounts));
  std::memcpy(&seen, executable->result(0).data(), sizeof seen);
  return seen;
}

}  // namespace

uint32_t measure_subgroup_size(const std::shared_ptr<Device>& device) {
  const auto seen = probe(device);
  if (!seen) return 1;
  const uint32_t size = (*seen)[0][0];
  if (size == 0) return 1;
  for (uint32_t i = 0; i < kInvocations; ++i) {
    if ((*seen)[i][0] != size || (*seen)[i][1] != i % size) return 1;
  }
  return size;
}

}  // namespace highwater::gpu
