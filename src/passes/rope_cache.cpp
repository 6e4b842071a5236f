#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

void fuse_rope_cache(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto sdpa = r.call(i, "sdpa_with_kv_cache.default");
    if (!sdpa) continue;
    const ValueId q = (*sdpa)["query"], k = (*sdpa)["key"];
    const auto rope = r.producer(q, "hw.rope.at");
    if (!rope || q == k || r.uses(q) != 1 || r.uses(k) != 1) continue;
    const auto* turned = std::get_if<ValueList>(&r.value(rope->out()));
    if (!turned || turned->items != std::vector<ValueId>{q, k}) continue;
    // What is rounded in between would be rounded no more.
    const bool same = r.tensor(q).dtype == r.tensor((*rope)["xq"]).dtype &&
                      r.tensor(k).dtype == r.tensor((*rope)["xk"]).dtype;
    if (!same) continue;
    r.remove(rope->index());
    r.replace(i, "hw.sdpa_with_kv_cache.rope",
              {{"xq", (*rope)["xq"]},
               {"xk", (*rope)["xk"]},
               {"freqs_cos", (*rope)["freqs_cos"]},
               {"freqs_sin", (*rope)["freqs_sin"]},
               {"rope_pos", (*rope)["start_pos"]},
               {"value", (*sdpa)["value"]},
               {"key_cache", (*sdpa)["key_cache"]},
               {"value_cache", (*sdpa)["value_cache"]},
               {"start_pos", (*sdpa)["start_pos"]},
               {"seq_len", (*sdpa)["seq_len"]},
               {"attn_mask", (*sdpa)["attn_mask"]},
               {"drpout_p", (*sdpa)["drpout_p"]},
               {"is_causal", (*sdpa)["is_causal"]},
               {"scale", (*sdpa)["scale"]}},
              sdpa->out());
  }
}

}  // namespace highwater
