// Rotary embedding of q and k, and k and v put into their caches.
#pragma once

#include <optional>

#include "ops/attention/cache_write.h"
#include "ops/rope/rope_pair.h"
#include "wgsl/rope/rope.h"
#include "wgsl/rope/rope_into_cache.h"

namespace highwater {

class RopeIntoCache {
 public:
  struct Caches {
    Tensor k, v;
  };

  // Arguments are those of hw.sdpa_with_kv_cache.rope.
  RopeIntoCache(Args& a, Tensor value, const Caches& caches);

  Tensor turned_q() const { return pair_.q_out; }

  Status plan(const Shapes& s, const Dims& cache, int64_t position, Plan& plan) const;

 private:
  RopePair pair_;
  LiveInt start_;
  // At once, on a GPU; a software adapter may have too few bindings for it.
  Step<wgsl::rope::rope_into_cache> both_;
  Step<wgsl::rope::rope> turn_;
  std::optional<CacheWrite<2>> write_;
};

}  // namespace highwater
