// The largest logit of each part of a row, before there are cuts; and bins without weight.
#include "sample_shared.wgsl"
#include "logits.wgsl"
#include "cuts.wgsl"
#over_lanes top f32 max(a, b)

#main part lane
  if (part >= params.parts) { return; }
  for (var b = part * WG + lane; b < ALL_BINS; b += params.parts * WG) { atomicStore(&memory[BINS_START + b], 0u); }
  var found = LOWEST;
  for (var i = part * params.slice + lane; i < min((part + 1u) * params.slice, params.count); i += WG) {
    found = max(found, logit(i));
  }
  let top = top_over_lanes(found, lane);
  if (lane == 0u) { atomicStore(&memory[TOPS + part], bitcast<u32>(top)); }
}
