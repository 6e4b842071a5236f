// One token, drawn with the probabilities that the logits give it at a temperature, among the k
// likeliest, and of those among the likeliest that together have the probability p.
//
// Both cuts are a logit at which to cut. It is found eight bits at a time: the weights of all that
// agree with the bits so far are added up by their next eight.
#include "sample_shared.wgsl"
#include "put_winner.wgsl"
#include "logits.wgsl"
#over_lanes sum f32 a + b
#over_lanes top f32 max(a, b)

const BINS = 256u;

var<workgroup> bins: array<atomic<u32>, BINS>;
var<workgroup> bits: u32;       // of the cut, as far as they are known
var<workgroup> remaining: u32;  // weight that is still to be covered, below what is known

// The largest key such that the weights of all with at least this key reach `wanted`. Keys below `cut`
// have none.
fn find_cut(lane: u32, wanted: u32, cut: u32, highest: f32, scale: f32) -> u32 {
  workgroupBarrier();
  if (lane == 0u) {
    bits = 0u;
    remaining = wanted;
  }
  for (var shift = 24i; shift >= 0; shift -= 8) {
    for (var b = lane; b < BINS; b += WG) { atomicStore(&bins[b], 0u); }
    workgroupBarrier();
    // A shift by 32 would be a shift by 0.
    let above = select(u32(shift) + 8u, 0u, shift == 24);
    let known = bits;
    for (var i = lane; i < params.count; i += WG) {
      let v = logit(i);
      let key = key_of(v);
      if (key < cut || (shift < 24 && (key >> above) != known)) { continue; }
      atomicAdd(&bins[(key >> u32(shift)) & 255u], weight_of(v, highest, scale));
    }
    workgroupBarrier();
    if (lane == 0u) {
      var covered = 0u;
      var b = BINS;
      while (b > 0u && covered < remaining) {
        b -= 1u;
        covered += atomicLoad(&bins[b]);
      }
      remaining -= min(remaining, covered - atomicLoad(&bins[b]));
      bits = (bits << 8u) | b;
    }
    workgroupBarrier();
  }
  return bits;
}

#main row lane
  if (row > 0u || params.count == 0u) { return; }
  var part = LOWEST;
  for (var i = lane; i < params.count; i += WG) { part = max(part, logit(i)); }
  let highest = top_over_lanes(part, lane);

  var cut = 0u;
  if (params.top_k > 0u) { cut = find_cut(lane, params.top_k, 0u, highest, 0.0); }
  if (params.top_p < 1.0) {
    part = 0.0;
    for (var i = lane; i < params.count; i += WG) {
      let v = logit(i);
      if (key_of(v) >= cut) { part += exp(v - highest); }
    }
    let scale = ONE / sum_over_lanes(part, lane);
    cut = max(cut, find_cut(lane, wanted_by_p(), cut, highest, scale));
  }

  var best = Find(LOWEST, 0u);
  for (var i = lane; i < params.count; i += WG) {
    let v = logit(i);
    if (key_of(v) < cut) { continue; }
    let score = v + gumbel_noise(i);
    if (score > best.score) { best = Find(score, i); }
  }
  put_winner(lane, best);
}
