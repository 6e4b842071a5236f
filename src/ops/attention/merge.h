// What was found in chunks of the context, put together.
#pragma once

#include "ops/attention/problem.h"
#include "wgsl/attention/attention_merge.h"
#include "wgsl/attention/attention_merge_group.h"

namespace highwater {

class AttentionMerge {
 public:
  AttentionMerge() = default;
  AttentionMerge(Args& a, Tensor y, Tensor partial, int64_t head_quads);

  // Floats that a row of queries has in `partial` for each chunk.
  static int64_t partial_floats(int64_t head_quads) { return 4 * (head_quads + 1); }

  void plan(const AttentionProblem& p, int64_t chunks, Plan& plan) const;

 private:
  template <class K>
  void run(Step<K> step, const AttentionProblem& p, int64_t chunks, int64_t items, Grid grid,
           Rounds rounds, Plan& plan) const;

  Tensor partial_;
  int64_t width_ = 1;  // quads of a row for a workgroup
  Step<wgsl::attention::attention_merge> alone_;
  Step<wgsl::attention::attention_merge_group> group_;
};

}  // namespace highwater
