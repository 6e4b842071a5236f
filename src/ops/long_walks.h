// How far one invocation may walk on an adapter that computes on the CPU.
//
// There one invocation a row is fastest, but Mesa's software adapter ends all loops of an
// invocation after 65,535 rounds together, without a word. Long before that, rows go to workgroups;
// what would be too long even for those is an error and not a wrong number.
#pragma once

#include <cstdint>

#include "graph/args.h"
#include "graph/grid.h"
#include "highwater/result.h"

namespace highwater {

constexpr int64_t kLongWalk = 16'384;
constexpr int64_t kTooLongWalk = 60'000;

// Whether rows that take one invocation so many rounds should go to workgroups, each of whose
// invocations has its share of `workgroup_rounds`.
inline Result<bool> is_long_walk(int64_t rounds, int64_t workgroup_rounds) {
  if (rounds <= kLongWalk) return false;
  if (workgroup_rounds / Grid::kWorkgroupSize > kTooLongWalk) {
    return fail("a row of ", workgroup_rounds, " steps is too long for this adapter");
  }
  return true;
}

// For kernels that have no workgroup to share a walk: an error where it would be cut short.
class WalkLimit {
 public:
  explicit WalkLimit(const Args& a) : limited_(a.traits().software) {}

  Status check(int64_t rounds) const {
    if (!limited_ || rounds <= kTooLongWalk) return {};
    return fail("sizes that take ", rounds, " steps in a row are too long for this adapter");
  }

 private:
  bool limited_;
};

}  // namespace highwater
