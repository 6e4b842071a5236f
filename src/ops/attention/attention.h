// Softmax attention over any layout of queries, keys and values.
#pragma once

#include <optional>

#include "graph/op.h"
#include "ops/routes.h"
#include "wgsl/attention/attention.h"
#include "wgsl/attention/attention_any.h"
#include "wgsl/attention/attention_merge.h"

namespace highwater {

class Attention {
 public:
  // Sizes and strides of a call, in elements.
  struct Problem {
    int64_t head_dim = 0;
    double scale = 1;
    int64_t batch = 0;
    int64_t q_heads = 0;
    int64_t kv_heads = 0;
    int64_t positions = 0;
    int64_t context = 0;
    int64_t causal_from = 0;  // query s sees keys up to causal_from + s
    int64_t q_batch = 0, q_position = 0, q_head = 0;
    int64_t kv_batch = 0, kv_position = 0, kv_head = 0;
    int64_t mask_batch = 0, mask_head = 0, mask_row = 0;  // 0: the same for all

    // Where a mask that broadcasts to [batch, heads, positions, context] has its rows.
    Status set_mask(const Dims& mask, const Dims& bound);
  };
  struct Operands {
    Tensor y, q, k, v;
    std::optional<Tensor> mask;
  };

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
    uint32_t lanes;  // 1: alone; up to a subgroup: by registers; a workgroup: by its memory
    int64_t rows;
    Step<wgsl::attention::attention> step = {};
  };
  // A decode step has too few rows to keep a device busy; it is cut into chunks of the context.
  static constexpr int64_t kChunk = 64;
  static constexpr int64_t kFewRows = 4;  // of a kv head
  static constexpr int64_t kTilesEnough = 16;
  // A tile keeps whole rows in registers; beyond this they would not fit.
  static constexpr int64_t kMostTiled = 256;

  // How many keys and values a route brings at a time.
  static int64_t batch_of(const Route& route, int64_t quads);
  void plan_tiles(const Problem& p, Plan& plan) const;
  void plan_any(const Problem& p, Plan& plan) const;
  static Routes<Route> routes_for(const DeviceTraits& traits, int64_t quads, int64_t group);
  int64_t most_cut_rows(int64_t heads) const;
  Step<wgsl::attention::attention> declare(Args& a, const Route& route, int64_t quads) const;

  Operands o_;
  int64_t tiled_head_dim_ = 0;  // that the tiles are made for; 0: none
  Routes<Route> routes_;
  Tensor partial_;
  Step<wgsl::attention::attention_merge> merge_;
  Step<wgsl::attention::attention_any> any_;
};

}  // namespace highwater
