// What each part of a row adds to the sum of probabilities of the tokens that top_k leaves.
#include "sample_shared.wgsl"
#include "logits.wgsl"
#include "cuts.wgsl"
#include "highest.wgsl"
#over_lanes sum f32 a + b

#main part lane
  if (part >= params.parts) { return; }
  let highest = highest_of_row(lane);
  var cut = 0u;
  if (params.top_k > 0u) {
    let state = settled(lane, CUT_K, DIGITS);
    if (part == 0u && lane == 0u) { keep_state(CUT_K, DIGITS, state); }
    cut = state.x;
  }
  var found = 0.0;
  for (var i = part * params.slice + lane; i < min((part + 1u) * params.slice, params.count); i += WG) {
    let v = logit(i);
    if (key_of(v) >= cut) { found += exp(v - highest); }
  }
  let sum = sum_over_lanes(found, lane);
  if (lane == 0u) { atomicStore(&memory[SUMS + part], bitcast<u32>(sum)); }
}
