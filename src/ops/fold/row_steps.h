// Work along rows has one kernel and two ways to share it: one invocation walks a row by itself, or
// a workgroup walks it together.
#pragma once

#include <string>
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

// A kernel K that says `#lanes`, made for both ways, and the one rule for which of them runs.
// Declared are those that the rule can pick, so that there is no other to pick.
template <class K>
class RowSteps {
 public:
  struct Kernel {
    std::vector<Tensor> bindings;
    std::vector<Substitution> substitutions = {};
    std::string_view variant = {};
    // From how many elements on a GPU shares a row.
    int64_t share_from = Grid::kWorkgroupSize;
    // How many lanes of a subgroup are as good as one invocation.
    uint32_t lanes = 1;
  };

  RowSteps() = default;
  // No live walk is longer than `longest`.
  RowSteps(Args& a, const Kernel& kernel, const Walk& longest)
      : software_(a.traits().software), share_from_(kernel.share_from), lanes_(kernel.lanes) {
    if (!is_shared({})) alone_ = declare(a, kernel, lanes_, std::string(kernel.variant));
    if (is_shared(longest)) {
      const std::string_view joint = kernel.variant.empty() ? "" : "_";
      shared_ = declare(a, kernel, Grid::kWorkgroupSize, text(kernel.variant, joint, "shared"));
    }
  }

  // One invocation, or one workgroup, for each of `items`.
  void plan(const Walk& walk, int64_t items, const typename K::Params& params, Plan& plan) const {
    if (is_shared(walk)) {
      plan.run(shared_, params, Grid::groups(items), Rounds{walk.shared});
    } else {
      plan.run(alone_, params, Grid::lanes(items, lanes_), Rounds{walk.alone});
    }
  }

 private:
  // On a software adapter one invocation a row is fastest, as long as the adapter does not end its
  // loops; rows go to workgroups long before that.
  static constexpr int64_t kLongWalk = 16'384;

  bool is_shared(const Walk& walk) const {
    return software_ ? walk.alone > kLongWalk : walk.elements >= share_from_;
  }

  static Step<K> declare(Args& a, const Kernel& kernel, uint32_t lanes,
                         const std::string& variant) {
    std::vector<Substitution> substitutions = kernel.substitutions;
    substitutions.push_back({"LANES", std::to_string(lanes)});
    return a.step<K>(kernel.bindings, substitutions, variant);
  }

  bool software_ = false;
  int64_t share_from_ = 0;
  uint32_t lanes_ = 1;
  Step<K> alone_;
  Step<K> shared_;
};

}  // namespace highwater
