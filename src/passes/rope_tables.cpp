#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

void fold_rope_tables(Program& program) {
  Rewriter r(program);
  // (x, dim, start, end, step, y): rows of a table from a live position on.
  const auto rows_of_table = [&](ValueId id) -> std::optional<size_t> {
    const auto slice = r.producer(r.behind_views(id), "aten.slice_copy.Tensor", 6);
    if (!slice) return std::nullopt;
    const auto& args = r.call(*slice).args;
    const bool rows = r.number(args[1]) == 0 && r.number(args[4]) == 1;
    // A slice may also start from the end, or say nothing; a position may not.
    const bool position =
        r.number(args[2]) >= 0 || std::holds_alternative<SymInt>(r.value(args[2]));
    if (r.tensor(args[0]).dims.rank() != 2 || !rows || !position) return std::nullopt;
    return slice;
  };
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (!r.is(i, "et_vk.apply_rotary_emb.default", 5)) continue;
    const std::vector<ValueId> args = r.call(i).args;  // (q, k, cosines, sines, [q, k])
    const auto cosines = rows_of_table(args[2]), sines = rows_of_table(args[3]);
    if (!cosines || !sines) continue;
    const ValueId start = r.call(*cosines).args[2];
    if (r.call(*sines).args[2] != start) continue;
    r.replace(i, "hw.rope.at",
              {args[0], args[1], r.call(*cosines).args[0], r.call(*sines).args[0], start, args[4]},
              {});
    r.remove_unused(args[2]);
    r.remove_unused(args[3]);
    for (size_t slice : {*cosines, *sines}) {
      if (!r.is_removed(slice) && r.uses(r.call(slice).args.back()) == 0) r.remove(slice);
    }
  }
}

}  // namespace highwater
