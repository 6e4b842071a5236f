// The token with the largest logit of a part of the row.
#include "sample_shared.wgsl"
#output finds : vec2<u32>
#input x

#main part lane
  if (part >= params.parts) { return; }
  var found = Find(LOWEST, 0u);
  for (var i = part * params.slice + lane; i < min((part + 1u) * params.slice, params.count); i += WG) {
    let v = x_at(params.start + i);
    if (v > found.score) { found = Find(v, i); }
  }
  let best = best_over_lanes(found, lane);
  if (lane == 0u) { finds_set(part, vec2<u32>(bitcast<u32>(best.score), best.place)); }
}
