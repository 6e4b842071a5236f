#include "ops/attention/block.h"

#include <algorithm>

namespace highwater {

void BlockAttention::declare(Args& a, const AttentionOperands& o, Tensor partial) {
  step_ = a.step<wgsl::attention::attention_block>(
      {o.y, partial, o.q, o.k, o.v, o.mask.value_or(o.q)},
      {{"QUADS", std::to_string(quads_)},
       {"CHUNKS", std::to_string(head_chunks())},
       {"MASK", mask_text(a, o.mask, "score", "mask_at${i} + min(t, last_key)")}},
      text(kRows, "x", 4 * quads_));
}

void BlockAttention::plan(const AttentionProblem& p, int64_t chunks, int64_t chunk,
                          Plan& plan) const {
  const auto params = tile_params<wgsl::attention::attention_block::Params>(
      p, ceil_div(p.rows(), kRows), chunks, chunk);
  // Along a head for scores, and along keys for each part of the result.
  const int64_t each = 1 + head_chunks() * (1 + 8 + 8), tiles = ceil_div(chunk, kRows);
  // Of the last tile's keys, those are computed that are there, eight at a time.
  const double share = static_cast<double>(8 * ceil_div<int64_t>(chunk, 8)) /
                       static_cast<double>(std::max<int64_t>(kRows * tiles, 1));
  plan.run(step_, params, Grid::groups(params.tiles), Rounds{each * tiles, share});
}

}  // namespace highwater
