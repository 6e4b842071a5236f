// What attention is asked for: operands, sizes and strides, and how kernels are told of them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "graph/op.h"
#include "graph/params.h"
#include "ops/narrow.h"

namespace highwater {

struct AttentionOperands {
  Tensor y, q, k, v;
  std::optional<Tensor> mask;
};

// Sizes and strides of a call, in elements.
struct AttentionProblem {
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

  // Query heads for each kv head.
  int64_t group() const { return q_heads / std::max<int64_t>(kv_heads, 1); }
  // Query rows for each kv head of a batch.
  int64_t rows() const { return positions * group(); }
  // Kv heads of all batches.
  int64_t heads() const { return batch * kv_heads; }
  int64_t head_quads() const { return head_dim / 4; }

  // Where a mask that broadcasts to [batch, heads, positions, context] has its rows.
  Status set_mask(const Dims& mask, const Dims& bound);
};

// WGSL for what a mask does to a score; `at` is where it says so.
std::string mask_text(const Args& a, const std::optional<Tensor>& mask, const std::string& score,
                      const std::string& at);

// For kernels that include attention_shared.wgsl.
template <class Params>
Params tile_params(const AttentionProblem& p, int64_t row_tiles, int64_t chunks, int64_t chunk) {
  Params params{};
  params.tiles = u32(p.heads() * row_tiles * chunks);
  params.row_tiles = u32(row_tiles);
  params.kv_heads = u32(p.kv_heads);
  params.group = u32(p.group());
  params.positions = u32(p.positions);
  params.context = u32(p.context);
  params.causal_from = u32(p.causal_from);
  params.chunks = u32(chunks);
  params.chunk = u32(chunk);
  params.q_batch = u32(p.q_batch / 4);
  params.q_position = u32(p.q_position / 4);
  params.q_head = u32(p.q_head / 4);
  params.kv_batch = u32(p.kv_batch / 4);
  params.kv_position = u32(p.kv_position / 4);
  params.kv_head = u32(p.kv_head / 4);
  params.mask_batch = u32(p.mask_batch);
  params.mask_head = u32(p.mask_head);
  params.mask_row = u32(p.mask_row);
  params.scale = narrow_to_float(p.scale);
  return params;
}

}  // namespace highwater
