// What an op decides when it looks at shapes: its outputs' live dims, and what to run.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "graph/grid.h"
#include "graph/handles.h"
#include "highwater/dims.h"

namespace highwater {

// How often the loops of one invocation go round, all of them together, at most. Some adapters end
// loops after so many rounds without a word; the engine refuses a plan that would be cut short.
struct Rounds {
  int64_t count = 0;
  // What one of them is worth in the account of a run, where an op has tiles of several sizes: its
  // part of a round of the largest.
  double share = 1;
};

class Plan {
 public:
  struct Resize {
    ValueId value;
    Dims dims;
  };
  struct SetScalar {
    ValueId value;
    int64_t number;
  };
  struct Run {
    uint32_t step;
    Grid grid;
    Rounds rounds;
    uint32_t params_at;  // into params_
    uint32_t params_size;
  };

  Plan& resize(Tensor y, const Dims& dims);
  Plan& set(Scalar y, int64_t number);

  // Runs a declared step. Steps run in the order of these calls; an empty grid runs nothing. A
  // kernel whose loops follow live sizes must be given their rounds.
  template <class K>
    requires(!K::kWalks)
  Plan& run(Step<K> step, const typename K::Params& params, Grid grid) {
    return run(step, params, grid, Rounds{});
  }
  template <class K>
  Plan& run(Step<K> step, const typename K::Params& params, Grid grid, Rounds rounds) {
    static_assert(std::is_trivially_copyable_v<typename K::Params>);
    return add(step.id, {reinterpret_cast<const std::byte*>(&params), K::kParamsSize}, grid,
               rounds);
  }

  // Keeps the memory, so that a plan made again at another shape allocates nothing.
  void clear() {
    resizes_.clear();
    scalars_.clear();
    runs_.clear();
    params_.clear();
  }

  std::span<const Resize> resizes() const { return resizes_; }
  std::span<const SetScalar> scalars() const { return scalars_; }
  std::span<const Run> runs() const { return runs_; }
  std::span<const std::byte> params(const Run& run) const {
    return std::span(params_).subspan(run.params_at, run.params_size);
  }

 private:
  // All kernels alike: a page downloads the code of every plan.
  Plan& add(uint32_t step, std::span<const std::byte> params, Grid grid, Rounds rounds);

  std::vector<Resize> resizes_;
  std::vector<SetScalar> scalars_;
  std::vector<Run> runs_;
  std::vector<std::byte> params_;
};

}  // namespace highwater
