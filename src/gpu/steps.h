// The kernels of an executable with their bindings. For gpu/ only.
#pragma once

#include <span>
#include <vector>

#include "gpu/buffers.h"
#include "gpu/executable.h"
#include "gpu/timestamps.h"
#include "gpu/turns.h"

namespace highwater::gpu {

class Steps {
 public:
  // The next of the spec's steps.
  Status load_next(const Turns& turns, const ExecutableSpec& spec, const Buffers& buffers,
                   WGPUBuffer params, Answers& answers, Accounts& accounts);
  size_t loaded() const { return steps_.size(); }
  // Has the device make those pipelines anew that were first made for these steps.
  void forget_new_pipelines(WebGpuDevice& device, const ExecutableSpec& spec) const;

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
    std::shared_ptr<const Pipeline> pipeline;
    BindGroupHandle bindings;
    bool is_new = false;  // the pipeline
  };

  std::vector<Step> steps_;
};

}  // namespace highwater::gpu
