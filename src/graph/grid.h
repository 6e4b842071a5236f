// How many workgroups a step runs: the one place that folds large counts and handles empty ones.
#pragma once

#include <cstdint>

#include "base/checked.h"

namespace highwater {

struct Grid {
  // Kernels get this as `WG`. 64 suits GPUs and software adapters alike.
  static constexpr uint32_t kWorkgroupSize = 64;
  // WebGPU's guaranteed maximum per dimension.
  static constexpr uint32_t kMaxPerDimension = 65535;

  uint32_t x = 0;
  uint32_t y = 0;

  bool empty() const { return x == 0; }
  uint64_t workgroups() const { return uint64_t{x} * y; }

  // `count` workgroups. Kernels number them by y * num_workgroups.x + x and drop the surplus.
  static Grid groups(int64_t count) {
    if (count <= 0) return {};
    const int64_t rows = ceil_div<int64_t>(count, kMaxPerDimension);
    return {static_cast<uint32_t>(ceil_div(count, rows)), static_cast<uint32_t>(rows)};
  }
  // One invocation for each of `count` items.
  static Grid threads(int64_t count) { return groups(ceil_div<int64_t>(count, kWorkgroupSize)); }
  // A subgroup of `lanes` for each of `count` items; without subgroups, an invocation.
  static Grid lanes(int64_t count, uint32_t lanes) {
    return lanes == 1 ? threads(count) : groups(count);
  }
  // One invocation for every four elements.
  static Grid quads(int64_t elements) { return threads(ceil_div<int64_t>(elements, 4)); }

  bool operator==(const Grid&) const = default;
};

}  // namespace highwater
