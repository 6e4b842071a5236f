// Attention of a few query rows on a GPU: a workgroup for each kv head and chunk of the context.
#pragma once

#include "ops/attention/problem.h"
#include "wgsl/attention/attention_split.h"

namespace highwater {

class SplitAttention {
 public:
  // Of more rows, a workgroup that has an invocation for each row is busy enough.
  static constexpr int64_t kMostRows = 32;

  // Heads of `head_quads` quads, with `group` query heads for each kv head.
  SplitAttention(int64_t head_quads, int64_t group);

  // How many partial results of a row `largest` may ever have, over all rows.
  int64_t most_partials(const AttentionProblem& largest) const;
  void declare(Args& a, const AttentionOperands& o, Tensor partial);

  bool takes(const AttentionProblem& p) const { return p.rows() <= kMostRows; }
  // Gives the number of chunks: the results of more than one are to be merged.
  int64_t plan(const AttentionProblem& p, Plan& plan) const;

 private:
  int64_t row_tiles(int64_t rows) const { return ceil_div(rows, rows_); }
  int64_t chunk_for(const AttentionProblem& p) const;

  int64_t quads_;
  int64_t rows_;   // for a workgroup
  int64_t parts_;  // invocations that share a key
  int64_t keys_;   // that are in workgroup memory at a time
  int64_t subs_;   // invocations that share a quad of values
  Step<wgsl::attention::attention_split> step_;
};

}  // namespace highwater
