// Putting new rows at a live position of one or more caches of the same dims, in one step.
#pragma once

#include <string>

#include "graph/op.h"
#include "wgsl/attention/cache_write.h"
#include "wgsl/attention/cache_write_any.h"

namespace highwater {

// Whether rows of [batch, positions, heads, head dim] have their place in a cache from a position
// on.
inline Status check_fits_cache(const Dims& value, const Dims& cache, int64_t position) {
  if (value.rank() != 4 || value[0] != cache[0] || value[2] != cache[2] || value[3] != cache[3]) {
    return fail("a value of dims ", value, " does not fit a cache of dims ", cache);
  }
  if (position < 0 || position > cache[1] - value[1]) {
    return fail(value[1], " positions from ", position, " on run past a cache with room for ",
                cache[1]);
  }
  return {};
}

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
    const Dims& d = a.bound(pairs[0].cache);
    a.require(d.rank() == 4, "a cache of dims ", d,
              "; it must be [batch, capacity, heads, head dim]");
    if (d.rank() != 4) return;
    const std::vector<Substitution> caches{{"CACHES", std::to_string(N)}};
    if (d[2] * d[3] % 4 == 0) {
      step_ = a.step<wgsl::attention::cache_write>(bindings, caches);
    } else {
      any_ = a.step<wgsl::attention::cache_write_any>(bindings, caches);
    }
  }

  Status plan(const Dims& value, const Dims& cache, int64_t position, Plan& plan) const {
    HW_CHECK(check_fits_cache(value, cache, position));
    const int64_t row = cache[2] * cache[3];
    if (step_.is_declared() && row % 4 != 0) return fail("a cache of dims ", cache);
    if (step_.is_declared()) {
      plan.run(step_,
               {.quads = quads_of(value.numel()),
                .batch_quads = u32(value[1] * row / 4),
                .cache_quads = u32(cache[1] * row / 4),
                .offset_quads = u32(position * row / 4)},
               Grid::quads(value.numel()));
    } else if (value.numel() > 0) {
      plan.run(any_,
               {.quads = quads_of(cache.numel()),
                .numel = u32(cache.numel()),
                .batch_elements = u32(value[1] * row),
                .cache_elements = u32(cache[1] * row),
                .offset = u32(position * row)},
               Grid::quads(cache.numel()));
    }
    return {};
  }

 private:
  Step<wgsl::attention::cache_write> step_;
  Step<wgsl::attention::cache_write_any> any_;
};

}  // namespace highwater
