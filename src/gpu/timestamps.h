// When each pass of a run began and ended, by the device's own clock. For gpu/ only.
#pragma once

#include <vector>

#include "gpu/device_impl.h"
#include "gpu/executable.h"
#include "gpu/read_back.h"

namespace highwater::gpu {

class Timestamps {
 public:
  explicit Timestamps(DeviceImpl& device) : device_(device), read_back_(device) {}

  // Forgets the run before, and makes room for so many passes.
  Status begin(size_t passes, Accounts& accounts);

  // Where the next pass writes its two.
  WGPUPassTimestampWrites next();
  // After the last pass.
  void resolve(WGPUCommandEncoder encoder, Accounts& accounts);

  // Adds an interval for each pass, once they have been submitted.
  Status read(std::vector<Interval>& intervals);

 private:
  Status reserve(size_t passes, Accounts& accounts);

  DeviceImpl& device_;
  std::vector<QuerySetHandle> sets_;  // each as large as the standard allows
  BufferHandle resolved_;
  uint64_t capacity_ = 0;  // of it, in bytes
  size_t passes_ = 0;      // that have been given theirs
  ReadBackBuffer read_back_;
};

}  // namespace highwater::gpu
