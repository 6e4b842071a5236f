// For gpu/ only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gpu/executable_load.h"

namespace highwater::gpu {

// How many invocations a subgroup has. Implementations tell only a range, so one is asked.
class SubgroupProbe {
 public:
  explicit SubgroupProbe(std::shared_ptr<Device> device);

  Advance advance();
  // The size of all subgroups, if neighbouring invocations share one; else, and if it cannot be
  // measured, 1.
  uint32_t size() const { return size_.value_or(1); }
  // Whether the device has told; if something went wrong, the next may ask again.
  bool has_measured() const { return size_.has_value(); }

 private:
  Result<Advance> load();
  Result<Advance> measure();

  ExecutableLoad load_;
  std::unique_ptr<Executable> executable_;
  Accounts accounts_;
  std::optional<uint32_t> size_;
};

}  // namespace highwater::gpu
