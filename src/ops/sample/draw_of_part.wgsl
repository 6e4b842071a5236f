// The token that is drawn among those of a part of the row, and how good it is.
#include "sample_shared.wgsl"
#output finds : vec2<u32>
#include "logits.wgsl"
#include "cuts.wgsl"

#main part lane
  if (part >= params.parts) { return; }
  var cut = 0u;
  if (params.top_k > 0u) { cut = settled(lane, CUT_K, DIGITS).x; }
  if (params.top_p < 1.0) { cut = max(cut, settled(lane, CUT_P, DIGITS).x); }
  var found = Find(LOWEST, 0u);
  for (var i = part * params.slice + lane; i < min((part + 1u) * params.slice, params.count); i += WG) {
    let v = logit(i);
    if (key_of(v) < cut) { continue; }
    let score = v + gumbel_noise(i);
    if (score > found.score) { found = Find(score, i); }
  }
  let best = best_over_lanes(found, lane);
  if (lane == 0u) { finds_set(part, vec2<u32>(bitcast<u32>(best.score), best.place)); }
}
