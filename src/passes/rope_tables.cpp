#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

namespace {

// Rows of a table from a live position on.
std::optional<FullCall> as_rows_of_table(const Rewriter& r, ValueId id) {
  const auto slice = r.producer(r.behind_views(id), "aten.slice_copy.Tensor");
  if (!slice) return {};
  const ValueId start = (*slice)["start"];
  const bool rows = r.number((*slice)["dim"]) == 0 && r.number((*slice)["step"]) == 1;
  // A slice may also start from the end, or say nothing; a position may not.
  const bool position = r.number(start) >= 0 || std::holds_alternative<SymInt>(r.value(start));
  if (r.tensor((*slice)["self"]).dims.rank() != 2 || !rows || !position) return {};
  return slice;
}

}  // namespace

void fold_rope_tables(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto rope = r.call(i, "et_vk.apply_rotary_emb.default");
    if (!rope) continue;
    const auto cosines = as_rows_of_table(r, (*rope)["freqs_cos"]),
               sines = as_rows_of_table(r, (*rope)["freqs_sin"]);
    if (!cosines || !sines || (*cosines)["start"] != (*sines)["start"]) continue;
    r.replace(i, "hw.rope.at",
              {{"xq", (*rope)["xq"]},
               {"xk", (*rope)["xk"]},
               {"freqs_cos", (*cosines)["self"]},
               {"freqs_sin", (*sines)["self"]},
               {"start_pos", (*cosines)["start"]}},
              rope->out());
    r.remove_unused((*rope)["freqs_cos"]);
    r.remove_unused((*rope)["freqs_sin"]);
    for (const FullCall& slice : {*cosines, *sines}) {
      if (!r.is_removed(slice.index()) && r.uses(slice.out()) == 0) r.remove(slice.index());
    }
  }
}

}  // namespace highwater
