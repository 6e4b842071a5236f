#include "gpu/subgroups.h"

#include <array>
#include <cstring>

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

ExecutableSpec probe_spec(const Device& device) {
  ExecutableSpec spec;
  spec.buffers = {{sizeof(Seen)}};
  spec.steps = {{"subgroup probe", std::string(kProbe), {{0, true}}, 0, 0}};
  spec.read_back_size = sizeof(Seen);
  if (device.adapter().subgroups_must_be_enabled) {
    spec.steps[0].wgsl.insert(0, "enable subgroups;\n");
  }
  return spec;
}

uint32_t size_of(const Seen& seen) {
  const uint32_t size = seen[0][0];
  if (size == 0) return 1;
  for (uint32_t i = 0; i < kInvocations; ++i) {
    if (seen[i][0] != size || seen[i][1] != i % size) return 1;
  }
  return size;
}

}  // namespace

SubgroupProbe::SubgroupProbe(std::shared_ptr<Device> device) : load_(device, probe_spec(*device)) {}

Advance SubgroupProbe::advance() {
  const Result<Advance> now = executable_ ? measure() : load();
  return now ? *now : Advance::Done;
}

Result<Advance> SubgroupProbe::load() {
  HW_TRY(const Advance now, load_.advance(accounts_));
  if (now != Advance::Done) return now;
  executable_ = load_.finish();
  const Dispatch dispatch{0, 1, 1};
  const ReadBack read_back{0, sizeof(Seen)};
  const Work work{.dispatches = {&dispatch, 1}, .read_backs = {&read_back, 1}};
  HW_CHECK(executable_->start({&work, 1}, accounts_));
  return Advance::Waiting;
}

Result<Advance> SubgroupProbe::measure() {
  if (!executable_->poll()) return Advance::Waiting;
  HW_CHECK(executable_->finish(accounts_));
  Seen seen;
  std::memcpy(&seen, executable_->result(0).data(), sizeof seen);
  size_ = size_of(seen);
  return Advance::Done;
}

}  // namespace highwater::gpu
