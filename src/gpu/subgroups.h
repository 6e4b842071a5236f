// For gpu/ only.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/executable_load.h"

namespace highwater::gpu {

// How many invocations a subgroup has. Implementations tell only a range, so one is asked.
class SubgroupProbe {
 public:
  explicit SubgroupProbe(std::shared_ptr<Device> device);

  Advance advance();
  // The size of all subgroups, if neighbouring invocations share one; else, and if it cannot be
  // measured, 1.
  uint32_t size() const { return size_; }

 private:
  Result<Advance> load();
  Result<Advance> measure();

  ExecutableLoad load_;
  std::unique_ptr<Executable> executable_;
  Accounts accounts_;
  uint32_t size_ = 1;
};

}  // namespace highwater::gpu
