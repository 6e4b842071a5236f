// One token, drawn with the probabilities that the logits give it at a temperature, among the k
// likeliest, and of those among the likeliest that together have the probability p.
//
// Both cuts are a logit at which to cut. It is found eight bits at a time: the weights of all that
// agree with the bits so far are added up by their next eight. Weights are integers, because sums
// of floats depend on the order of the invocations.
#include "sample_shared.wgsl"
#over_lanes sum f32 a + b
#over_lanes top f32 max(a, b)

const BINS = 256u;
const ONE = 1073741824.0;  // a probability of 1 as a weight

var<workgroup> bins: array<atomic<u32>, BINS>;
var<workgroup> bits: u32;       // of the cut, as far as they are known
var<workgroup> remaining: u32;  // weight that is still to be covered, below what is known

fn logit(i: u32) -> f32 { return x_at(params.start + i) * params.inverse_temperature; }

// An integer that is ordered as the floats are.
fn key_of(v: f32) -> u32 {
  let b = bitcast<u32>(v);
  return select(b | 0x80000000u, ~b, (b >> 31u) == 1u);
}

// The largest key such that the weights of all with at least this key reach `wanted`. A scale of 0
// gives each the weight 1; else it is exp(logit - highest) times the scale. Keys below `cut` have
// none.
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
      let weight = select(1u, u32(exp(v - highest) * scale), scale > 0.0);
      atomicAdd(&bins[(key >> u32(shift)) & 255u], weight);
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

fn mixed(value: u32) -> u32 {
  var h = value + 0x9e3779b9u;
  h = (h ^ (h >> 16u)) * 0x7feb352du;
  h = (h ^ (h >> 15u)) * 0x846ca68bu;
  return h ^ (h >> 16u);
}

// Adding this to each logit and taking the largest sum draws from their distribution. The noise
// follows from the seed, the place in the text and the token alone.
fn gumbel_noise(token: u32) -> f32 {
  let h = mixed(token ^ mixed(params.draw ^ mixed(params.seed_low ^ mixed(params.seed_high))));
  let uniform = (f32(h >> 8u) + 0.5) / 16777216.0;
  return -log(-log(uniform));
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
    cut = max(cut, find_cut(lane, max(u32(params.top_p * ONE), 1u), cut, highest, scale));
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
