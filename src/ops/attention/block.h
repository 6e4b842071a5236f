// Attention of many query rows on a GPU: a workgroup for each 32 of them.
#pragma once

#include "ops/attention/problem.h"
#include "wgsl/attention/attention_block.h"

namespace highwater {

class BlockAttention {
 public:
  static constexpr int64_t kRows = 32;  // and keys, that a workgroup looks at together

  explicit BlockAttention(int64_t head_quads) : quads_(head_quads) {}

  void declare(Args& a, const AttentionOperands& o, Tensor partial);
  // Results of more than one chunk are to be merged.
  void plan(const AttentionProblem& p, int64_t chunks, int64_t chunk, Plan& plan) const;

 private:
  // Eight quads of a head go through workgroup memory at a time.
  int64_t head_chunks() const { return ceil_div<int64_t>(quads_, 8); }

  int64_t quads_;
  Step<wgsl::attention::attention_block> step_;
};

}  // namespace highwater
