// The kernels of an executable with their bindings. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/device_impl.h"
#include "gpu/executable.h"
#include "gpu/memory.h"
#include "gpu/timestamps.h"

namespace highwater::gpu {

class Steps {
 public:
  Status load(const Turns& turns, const ExecutableSpec& spec, const Memory& memory,
              WGPUBuffer params, Accounts& accounts);

  // One pass with all of them.
  void encode(WGPUCommandEncoder encoder, std::span<const Dispatch> dispatches,
              Accounts& accounts) const;

  // A pass for each of them, between two timestamps.
  void encode_timed(WGPUCommandEncoder encoder, std::span<const Dispatch> dispatches,
                    Timestamps& timestamps, Accounts& accounts) const;

  // A step for each pipeline: enough to have the driver compile them all.
  std::vector<uint32_t> one_for_each_pipeline() const;

 private:
  struct Step {
    const Pipeline* pipeline = nullptr;
    BindGroupHandle bindings;
  };

  std::vector<Step> steps_;
};

}  // namespace highwater::gpu
