#include "ops/rope/rope_into_cache.h"

namespace highwater {
namespace {

Tensor scratch_like(Args& a, std::string_view argument) {
  const Tensor x = a.tensor(argument);
  return a.scratch(a.dtype(x), a.bound(x).numel());
}

}  // namespace

RopeIntoCache::RopeIntoCache(Args& a, Tensor value, const Caches& caches)
    : pair_(a, scratch_like(a, "xq"), scratch_like(a, "xk")), start_(a.live_integer("rope_pos")) {
  if (a.traits().software) {
    turn_ = a.step<wgsl::rope::rope>(
        {pair_.q_out, pair_.k_out, pair_.q, pair_.k, pair_.cosines, pair_.sines});
    write_ = CacheWrite<2>(a, {{caches.k, pair_.k_out}, {caches.v, value}});
  } else {
    both_ = a.step<wgsl::rope::rope_into_cache>(
        {pair_.q_out, caches.k, caches.v, pair_.q, pair_.k, value, pair_.cosines, pair_.sines});
  }
}

Status RopeIntoCache::plan(const Shapes& s, const Dims& cache, int64_t position, Plan& plan) const {
  const Dims& k = s[pair_.k];
  HW_CHECK(check_fits_cache(k, cache, position));
  const int64_t width = s[pair_.q].back() / 2;
  plan.resize(pair_.q_out, {s[pair_.q].numel()});
  if (write_) {
    wgsl::rope::rope::Params params{};
    HW_CHECK(pair_.fill(s, s[start_], width, params));
    plan.resize(pair_.k_out, {k.numel()});
    plan.run(turn_, params, Grid::threads(params.quads));
    return write_->plan(k, cache, position, plan);
  }
  wgsl::rope::rope_into_cache::Params params{};
  HW_CHECK(pair_.fill(s, s[start_], width, params));
  const int64_t row = cache[2] * cache[3];
  params.batch_quads = u32(k[1] * row / 4);
  params.cache_quads = u32(cache[1] * row / 4);
  params.offset_quads = u32(position * row / 4);
  plan.run(both_, params, Grid::threads(params.quads));
  return {};
}

}  // namespace highwater
