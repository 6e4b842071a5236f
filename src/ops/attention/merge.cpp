#include "ops/attention/merge.h"

namespace highwater {
namespace {

// So few that several invocations share each of them, and enough to load from memory side by side.
constexpr int64_t kMergedQuads = 16;
// From so many on, an invocation for each keeps a GPU busy, and nobody needs to share one.
constexpr int64_t kManyQuads = 32 * Grid::kWorkgroupSize;

}  // namespace

AttentionMerge::AttentionMerge(Args& a, Tensor y, Tensor partial, int64_t head_quads)
    : partial_(partial) {
  const Substitution quads{"QUADS", std::to_string(head_quads)};
  alone_ = a.step<wgsl::attention::attention_merge>({y, partial}, {quads});
  if (a.traits().software) return;
  const int64_t pieces = ceil_div(head_quads, kMergedQuads);
  width_ = ceil_div(head_quads, pieces);
  group_ = a.step<wgsl::attention::attention_merge_group>(
      {y, partial}, {quads,
                     {"PIECES", std::to_string(pieces)},
                     {"WIDTH", std::to_string(width_)},
                     {"SUBS", std::to_string(Grid::kWorkgroupSize / width_)}});
}

void AttentionMerge::plan(const AttentionProblem& p, int64_t chunks, Plan& plan) const {
  const int64_t quads = p.head_quads(), rows = p.heads() * p.rows();
  plan.resize(partial_, {rows * chunks * partial_floats(quads)});
  if (!group_.is_declared() || rows * quads >= kManyQuads) {
    run(alone_, p, chunks, rows * quads, Grid::threads(rows * quads), Rounds{2 * chunks}, plan);
  } else {
    const int64_t items = rows * ceil_div(quads, width_);
    const int64_t subs = Grid::kWorkgroupSize / width_;
    run(group_, p, chunks, items, Grid::groups(items), Rounds{ceil_div(chunks, subs) + 2 * subs},
        plan);
  }
}

template <class K>
void AttentionMerge::run(Step<K> step, const AttentionProblem& p, int64_t chunks, int64_t items,
                         Grid grid, Rounds rounds, Plan& plan) const {
  plan.run(step,
           {.items = u32(items),
            .kv_heads = u32(p.kv_heads),
            .group = u32(p.group()),
            .positions = u32(p.positions),
            .chunks = u32(chunks),
            .q_batch = u32(p.q_batch / 4),
            .q_position = u32(p.q_position / 4),
            .q_head = u32(p.q_head / 4)},
           grid, rounds);
}

}  // namespace highwater
