// Putting new rows at a live position of one or more caches of the same dims, in one step.
#pragma once

#include <string>

#include "graph/op.h"
#include "wgsl/cache_write.h"

namespace highwater {

template <size_t N>
class CacheWrite {
 public:
  struct Pair {
    Tensor cache;  // [batch, capacity, heads, head dim]
    Tensor value;  // [batch, positions, heads, head dim]
  };

  CacheWrite(Args& a, const Pair (&pairs)[N]) {
    std::vector<Tensor> bindings;
    for (const Pair& p : pairs) bindings.push_back(p.cache);
    for (const Pair& p : pairs) bindings.push_back(p.value);
    step_ = a.step<wgsl::cache_write>(bindings, {{"CACHES", std::to_string(N)}});
    const Dims& d = a.bound(pairs[0].cache);
    a.require(d.rank() == 4 && d[2] * d[3] % 4 == 0, "a cache of dims ", d,
              "; it must be [batch, capacity, heads, head dim] with rows of whole quads");
  }

  Status plan(const Dims& value, const Dims& cache, int64_t position, Plan& plan) const {
    if (value.rank() != 4 || value[0] != cache[0] || value[2] != cache[2] || value[3] != cache[3]) {
      return fail("a value of dims ", value, " does not fit a cache of dims ", cache);
    }
    if (position < 0 || position > cache[1] - value[1]) {
      return fail("positions ", position, " to ", position + value[1],
                  " run past a cache with room for ", cache[1]);
    }
    const int64_t row_quads = cache[2] * cache[3] / 4;
    plan.run(
        step_,
        {static_cast<uint32_t>(value.numel() / 4), static_cast<uint32_t>(value[1] * row_quads),
         static_cast<uint32_t>(cache[1] * row_quads), static_cast<uint32_t>(position * row_quads)},
        Grid::quads(value.numel()));
    return {};
  }

 private:
  Step<wgsl::cache_write> step_;
};

}  // namespace highwater
