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
  // The next of the spec's steps, those first that are wanted first. Its kernel may be made later.
  Status load_next(const Turns& turns, const ExecutableSpec& spec, const Buffers& buffers,
                   WGPUBuffer params, Answers& answers, Accounts& accounts);
  size_t loaded() const { return loaded_; }
  // Whether the kernels of all steps are there; an error if one could not be made.
  Result<bool> are_made();
  // The same of those that are dispatched.
  Result<bool> are_made(std::span<const Dispatch> dispatches);
  // Has the device make those pipelines anew that were first made for these steps.
  void forget_new_pipelines(WebGpuDevice& device, const ExecutableSpec& spec) const;

  // One pass with all of them.
  void encode(WGPUCommandEncoder encoder, std::span<const Dispatch> dispatches,
              Accounts& accounts) const;

  // A pass for each of them, between two timestamps.
  void encode_timed(WGPUCommandEncoder encoder, std::span<const Dispatch> dispatches,
                    Timestamps& timestamps, Accounts& accounts) const;

  // A step for each pipeline that is there: enough to have the driver compile them.
  std::vector<uint32_t> one_for_each_pipeline() const;

 private:
  struct Step {
    std::shared_ptr<const Pipeline> pipeline;
    BindGroupHandle bindings;
    bool is_new = false;   // the pipeline
    bool is_made = false;  // as far as it was looked at
  };

  static Result<bool> is_made(Step& step);

  std::vector<Step> steps_;
  size_t loaded_ = 0;
};

}  // namespace highwater::gpu
