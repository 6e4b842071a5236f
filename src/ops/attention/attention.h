// Softmax attention over any layout of queries, keys and values.
#pragma once

#include "ops/attention/block.h"
#include "ops/attention/merge.h"
#include "ops/attention/problem.h"
#include "ops/attention/split.h"
#include "ops/routes.h"
#include "wgsl/attention/attention.h"
#include "wgsl/attention/attention_any.h"

namespace highwater {

class Attention {
 public:
  using Problem = AttentionProblem;
  using Operands = AttentionOperands;

  // `largest` bounds every later problem.
  Attention(Args& a, const Operands& operands, const Problem& largest);

  void plan(const Problem& p, Plan& plan) const;

  // 1 / sqrt(head dim), unless the program says otherwise.
  static double default_scale(int64_t head_dim);

 private:
  // From how many query rows of a kv head on so many invocations work together, with so many rows
  // each.
  struct Route {
    int64_t from_rows;
    uint32_t lanes;  // 1: alone; up to a subgroup: by registers
    int64_t rows;
    Step<wgsl::attention::attention> step = {};

    int64_t tile_rows() const { return lanes * rows; }
  };
  // Query rows of a kv head that one step takes.
  struct Part {
    int64_t start = 0;
    int64_t rows = 0;
  };
  // Few rows do not keep a device busy; the context is cut into chunks for them.
  static constexpr int64_t kChunk = 64;
  static constexpr int64_t kFewRows = 4;  // of a kv head
  static constexpr int64_t kTilesEnough = 16;
  // A tile keeps whole rows in registers; beyond this they would not fit.
  static constexpr int64_t kMostTiled = 256;

  // Keys and values that a route brings at a time.
  static constexpr int64_t kBatch = 4;

  void plan_tiles(const Problem& p, Plan& plan) const;
  // Into how many chunks the context is cut where rows of a kv head are taken so many at a time,
  // and the places in each.
  static int64_t chunks_for(const Problem& p, int64_t tile_rows);
  static int64_t chunk_of(const Problem& p, int64_t chunks) {
    return chunks > 1 ? kChunk : round_up<int64_t>(p.context, 4);
  }
  // Gives the number of chunks: the results of more than one are to be merged.
  int64_t plan_routes(const Problem& p, Plan& plan) const;
  int64_t plan_blocks(const Problem& p, Plan& plan) const;
  void plan_part(const Route& route, const Part& part, int64_t chunks, const Problem& p,
                 Plan& plan) const;
  // What a round costs, in products of two quads.
  static double work_of(const Route& route, int64_t quads);
  void plan_any(const Problem& p, Plan& plan) const;
  static Routes<Route> routes_for(const DeviceTraits& traits, int64_t quads, int64_t group);
  int64_t most_partials(const Problem& largest) const;
  Step<wgsl::attention::attention> declare(Args& a, const Route& route, int64_t quads) const;

  Operands o_;
  int64_t tiled_head_dim_ = 0;  // that the tiles are made for; 0: none
  Routes<Route> routes_;        // of software adapters
  Tensor partial_;
  std::optional<SplitAttention> split_;   // on a GPU, for few rows
  std::optional<BlockAttention> blocks_;  // on a GPU, for all others
  AttentionMerge merge_;
  Step<wgsl::attention::attention_any> any_;
};

}  // namespace highwater
