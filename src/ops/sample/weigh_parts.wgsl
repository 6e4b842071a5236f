// Adds the weights of all tokens that agree with a cut's bits so far to the bins of its next bits.
#include "sample_shared.wgsl"
#include "logits.wgsl"
#include "cuts.wgsl"
#include "highest.wgsl"
#over_lanes sum f32 a + b

var<workgroup> bins: array<atomic<u32>, BINS>;

// By which a probability becomes a weight; 0 where tokens are counted.
fn scale_of(lane: u32) -> f32 {
  if (params.cut == CUT_K) { return 0.0; }
  var found = 0.0;
  for (var i = lane; i < params.parts; i += WG) { found += bitcast<f32>(atomicLoad(&memory[SUMS + i])); }
  return ONE / sum_over_lanes(found, lane);
}

#main part lane
  if (part >= params.parts) { return; }
  for (var b = lane; b < BINS; b += WG) { atomicStore(&bins[b], 0u); }
  workgroupBarrier();
  let highest = highest_of_row(lane);
  let scale = scale_of(lane);
  let state = settled(lane, params.cut, params.digit);
  if (part == 0u && lane == 0u) { keep_state(params.cut, params.digit, state); }
  // Those that top_k leaves out have no part in top_p.
  var least = 0u;
  if (params.cut == CUT_P && params.top_k > 0u) { least = atomicLoad(&memory[state_of(CUT_K, DIGITS)]); }

  let shift = shift_of(params.digit);
  for (var i = part * params.slice + lane; i < min((part + 1u) * params.slice, params.count); i += WG) {
    let v = logit(i);
    let key = key_of(v);
    // A shift by 32 would be a shift by 0.
    if (key < least || (params.digit > 0u && (key >> shift_of(params.digit - 1u)) != state.x)) { continue; }
    atomicAdd(&bins[(key >> shift) & select(BINS - 1u, 1023u, params.digit == 2u)], weight_of(v, highest, scale));
  }
  workgroupBarrier();
  for (var b = lane; b < BINS; b += WG) {
    let weight = atomicLoad(&bins[b]);
    if (weight > 0u) { atomicAdd(&memory[bins_of(params.cut, params.digit) + b], weight); }
  }
}
