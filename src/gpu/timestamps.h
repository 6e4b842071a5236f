// When each pass of a run began and ended, by the device's own clock. For gpu/ only.
#pragma once

#include <vector>

#include "gpu/executable.h"
#include "gpu/read_back.h"

namespace highwater::gpu {

class Timestamps {
 public:
  explicit Timestamps(WebGpuDevice& device)
      : device_(device),
        resolved_(device, WGPUBufferUsage_QueryResolve | WGPUBufferUsage_CopySrc, "timestamps"),
        read_back_(device) {}

  // Forgets the run before, and makes room for so many passes.
  Status begin(size_t passes, Answers& answers, Accounts& accounts);

  // Where the next pass writes its two.
  WGPUPassTimestampWrites next();
  // After the last pass.
  void resolve(WGPUCommandEncoder encoder, Accounts& accounts);

  // Asks for them, once they have been submitted.
  void start_mapping() { read_back_.start_mapping(); }
  bool is_answered() const { return read_back_.is_answered(); }
  // Adds an interval for each pass.
  Status finish(std::vector<Interval>& intervals);
  // What was made for the run is good, as one without errors shows.
  void keep();

 private:
  Status reserve(size_t passes, Answers& answers, Accounts& accounts);

  WebGpuDevice& device_;
  std::vector<QuerySetHandle> sets_;  // each as large as the standard allows
  size_t proven_sets_ = 0;            // the first of them, which a run was good with
  GrowingBuffer resolved_;
  size_t passes_ = 0;  // that have been given theirs
  ReadBackBuffer read_back_;
};

}  // namespace highwater::gpu
