// Softmax attention over any layout of queries, keys and values.
#pragma once

#include <array>

#include "graph/op.h"
#include "ops/long_walks.h"
#include "wgsl/attention.h"
#include "wgsl/attention_any.h"
#include "wgsl/attention_merge.h"

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
    Status set_mask(const Dims& mask);
  };
  struct Operands {
    Tensor y, q, k, v;
    std::optional<Tensor> mask;
  };

  // `largest` bounds every later problem.
  Attention(Args& a, const Operands& operands, const Problem& largest);

  Status plan(const Problem& p, Plan& plan) const;

  // 1 / sqrt(head dim), unless the program says otherwise.
  static double default_scale(int64_t head_dim);

 private:
  // Query rows of one invocation: as many as there are, up to four.
  static constexpr std::array<int64_t, 3> kTileRows{1, 2, 4};
  // A decode step has too few rows to keep a device busy; it is cut into chunks of the context.
  static constexpr int64_t kChunk = 64;
  static constexpr int64_t kRowsWorthCutting = 16;
  // A tile keeps whole rows in registers; beyond this they would not fit.
  static constexpr int64_t kMostTiled = 256;

  void plan_tiles(const Problem& p, Plan& plan) const;
  Status plan_any(const Problem& p, Plan& plan) const;
  static int64_t chunks(const Problem& p, int64_t row_tiles);

  Operands o_;
  WalkLimit walk_limit_;
  int64_t tiled_head_dim_ = 0;  // that the tiles are made for; 0: none
  std::array<Step<wgsl::attention>, kTileRows.size()> steps_;
  Tensor partial_;
  Step<wgsl::attention_merge> merge_;
  Step<wgsl::attention_any> any_;
};

}  // namespace highwater
