// Putting new rows at a live position of one or more caches of the same dims, in one step.
#pragma once

#include <string>

#include "graph/op.h"
#include "wgsl/cache_write.h"
#include "wgsl/cache_write_any.h"

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
    const Dims& d = a.bound(pairs[0].cache);
    a.require(d.rank() == 4, "a cache of dims ", d,
              "; it must be [batch, capacity, heads, head dim]");
    if (d.rank() != 4) return;
    whole_quads_ = d[2] * d[3] % 4 == 0;
    const std::vector<Substitution> caches{{"CACHES", std::to_string(N)}};
    if (whole_quads_) {
      step_ = a.step<wgsl::cache_write>(bindings, caches);
    } else {
      any_ = a.step<wgsl::cache_write_any>(bindings, caches);
    }
  }

  Status plan(const Dims& value, const Dims& cache, int64_t position, Plan& plan) const {
    if (value.rank() != 4 || value[0] != cache[0] || value[2] != cache[2] || value[3] != cache[3]) {
      return fail("a value of dims ", value, " does not fit a cache of dims ", cache);
    }
    if (position < 0 || position > cache[1] - value[1]) {
      return fail("positions ", position, " to ", position + value[1],
                  " run past a cache with room for ", cache[1]);
    }
    const int64_t row = cache[2] * cache[3];
    const auto u32 = [](int64_t n) { return static_cast<uint32_t>(n); };
    if (whole_quads_) {
      plan.run(step_,
               {u32(value.numel() / 4), u32(value[1] * row / 4), u32(cache[1] * row / 4),
                u32(position * row / 4)},
               Grid::quads(value.numel()));
    } else if (value.numel() > 0) {
      plan.run(any_,
               {u32(ceil_div<int64_t>(cache.numel(), 4)), u32(cache.numel()), u32(value[1] * row),
                u32(cache[1] * row), u32(position * row)},
               Grid::quads(cache.numel()));
    }
    return {};
  }

 private:
  bool whole_quads_ = true;
  Step<wgsl::cache_write> step_;
  Step<wgsl::cache_write_any> any_;
};

}  // namespace highwater
