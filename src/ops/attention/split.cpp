#include "ops/attention/split.h"

#include <algorithm>

namespace highwater {
namespace {

constexpr int64_t kLanes = Grid::kWorkgroupSize;
// Of a head, for one invocation: with more, it would keep too many keys in registers at a time.
constexpr int64_t kMostQuads = 8;
// Queries share what workgroup memory WebGPU guarantees with keys and sums.
constexpr int64_t kMostRowsOfGroup = 8;
constexpr int64_t kMostQueryQuads = 256;
// An invocation has the scores of one key in the end.
constexpr int64_t kLargestChunk = kLanes;
// Shorter chunks keep more workgroups busy, and leave more to merge. They end where a workgroup
// would load less than 8 kB.
constexpr int64_t kWorkgroupsEnough = 32;
constexpr int64_t kLeastQuads = 256;

int64_t parts_for(int64_t quads) {
  int64_t parts = 1;
  while (ceil_div(quads, parts) > kMostQuads) parts *= 2;
  return parts;
}

}  // namespace

SplitAttention::SplitAttention(int64_t head_quads, int64_t group)
    : quads_(head_quads),
      rows_(std::clamp<int64_t>(group, 1, std::min(kMostRowsOfGroup, kMostQueryQuads / quads_))),
      parts_(parts_for(quads_)),
      keys_(kLanes / parts_),
      subs_(kLanes / quads_) {}

int64_t SplitAttention::chunk_for(const AttentionProblem& p) const {
  const int64_t tiles = p.heads() * row_tiles(p.rows());
  int64_t chunk = kLargestChunk;
  while (chunk > 4 && chunk * quads_ > kLeastQuads &&
         tiles * ceil_div(p.context, chunk) < kWorkgroupsEnough) {
    chunk /= 2;
  }
  return chunk;
}

int64_t SplitAttention::most_partials(const AttentionProblem& largest) const {
  // Either chunks are as large as they get, or those twice as large were too few.
  const int64_t tiles = largest.heads() * row_tiles(kMostRows);
  const int64_t large = tiles * std::max<int64_t>(ceil_div(largest.context, kLargestChunk), 1);
  return rows_ * std::max(large, 2 * (kWorkgroupsEnough + tiles));
}

void SplitAttention::declare(Args& a, const AttentionOperands& o, Tensor partial) {
  const int64_t row_quads = ceil_div<int64_t>(rows_, 4), per = ceil_div(quads_, parts_);
  const int64_t pitch = round_up<int64_t>(parts_ * per - parts_, 8) + parts_;
  const int64_t sums = row_quads * (kLanes + 8);
  const int64_t tile = std::max({keys_ * pitch, sums, rows_ * kLanes});
  step_ = a.step<wgsl::attention::attention_split>(
      {o.y, partial, o.q, o.k, o.v, o.mask.value_or(o.q)},
      {{"ROWS", std::to_string(rows_)},
       {"ROW_QUADS", std::to_string(row_quads)},
       {"QUADS", std::to_string(quads_)},
       {"PARTS", std::to_string(parts_)},
       {"PER", std::to_string(per)},
       {"PADDED", std::to_string(parts_ * per)},
       {"KEYS", std::to_string(keys_)},
       {"SUBS", std::to_string(subs_)},
       {"PITCH", std::to_string(pitch)},
       {"TILE", std::to_string(tile)},
       {"MASK", mask_text(a, o.mask, "score", "mask_start + min(t, last_key)")}},
      text(rows_, "x", 4 * quads_));
}

int64_t SplitAttention::plan(const AttentionProblem& p, Plan& plan) const {
  const int64_t chunk = chunk_for(p), chunks = std::max<int64_t>(ceil_div(p.context, chunk), 1);
  const auto params =
      tile_params<wgsl::attention::attention_split::Params>(p, row_tiles(p.rows()), chunks, chunk);
  plan.run(step_, params, Grid::groups(params.tiles),
           Rounds{ceil_div(chunk, keys_) + ceil_div(chunk, 4 * subs_) + rows_ * quads_ / kLanes +
                  subs_ + 2});
  return chunks;
}

}  // namespace highwater
