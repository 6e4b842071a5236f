// How tiles of three sizes take a live extent, so that one more element never costs a whole tile.
#pragma once

#include <cstdint>

#include "graph/grid.h"

namespace highwater {

struct Cover {
  int64_t full = 0;
  int64_t small = 0;
  int64_t least = 0;  // of one unit each
};

struct TileSizes {
  int64_t full;  // in units
  int64_t small;
  int64_t most_least;  // beyond so many units, a small tile is less work
};

inline Cover cover(int64_t units, const TileSizes& sizes) {
  const int64_t over = units % sizes.full;
  Cover result{units / sizes.full, over / sizes.small, over % sizes.small};
  if (result.least > sizes.most_least) {
    ++result.small;
    result.least = 0;
  }
  // Small tiles load more for what they compute: a full one is less work from three quarters on.
  if (4 * result.small * sizes.small >= 3 * sizes.full) return {result.full + 1};
  return result;
}

// How much of a grid's workgroups is at work where each invocation takes one item: subgroups
// without any end at once.
inline double busy_share(int64_t items, const Grid& grid, uint32_t subgroup) {
  const int64_t all = static_cast<int64_t>(grid.workgroups()) * Grid::kWorkgroupSize;
  if (all == 0) return 1;
  return static_cast<double>(round_up<int64_t>(items, subgroup)) / static_cast<double>(all);
}

}  // namespace highwater
