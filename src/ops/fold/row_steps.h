// Work along rows has two kernels: one invocation walks a row by itself, or a workgroup shares it.
#pragma once

#include <string_view>
#include <vector>

#include "graph/op.h"

namespace highwater {

// How far the work on a row is.
struct Walk {
  int64_t elements = 0;  // that a workgroup could share
  int64_t alone = 0;     // rounds of an invocation that shares with nobody
  int64_t shared = 0;    // rounds of each invocation of a workgroup

  // Where a workgroup has the same rounds to share.
  static Walk of(int64_t elements, int64_t rounds) {
    return {elements, rounds, ceil_div<int64_t>(rounds, Grid::kWorkgroupSize)};
  }
};

// The two kernels of a kind of work, and the one rule for which of them runs. Declared are those
// that the rule can pick, so that there is no other to pick.
template <class ByThread, class ByGroup>
class RowSteps {
 public:
  struct Kernels {
    std::vector<Tensor> bindings;
    std::vector<Substitution> substitutions;
    std::string_view variant = {};
    // From how many elements on a GPU shares a row.
    int64_t share_from = Grid::kWorkgroupSize;
  };
  struct Grids {
    Grid threads;
    Grid groups;
  };

  RowSteps() = default;
  // No live walk is longer than `longest`.
  RowSteps(Args& a, const Kernels& kernels, const Walk& longest)
      : software_(a.traits().software), share_from_(kernels.share_from) {
    if (!is_shared({})) {
      thread_ = a.step<ByThread>(kernels.bindings, kernels.substitutions, kernels.variant);
    }
    if (is_shared(longest)) {
      group_ = a.step<ByGroup>(kernels.bindings, kernels.substitutions, kernels.variant);
    }
  }

  // `fill` gives params of either kernel their members.
  template <class Fill>
  void plan(const Walk& walk, const Grids& grids, const Fill& fill, Plan& plan) const {
    if (is_shared(walk)) {
      plan.run(group_, fill(typename ByGroup::Params{}), grids.groups, Rounds{walk.shared});
    } else {
      plan.run(thread_, fill(typename ByThread::Params{}), grids.threads, Rounds{walk.alone});
    }
  }

 private:
  // On a software adapter one invocation a row is fastest, as long as the adapter does not end its
  // loops; rows go to workgroups long before that.
  static constexpr int64_t kLongWalk = 16'384;

  bool is_shared(const Walk& walk) const {
    return software_ ? walk.alone > kLongWalk : walk.elements >= share_from_;
  }

  bool software_ = false;
  int64_t share_from_ = 0;
  Step<ByThread> thread_;
  Step<ByGroup> group_;
};

}  // namespace highwater
