// Logits at a temperature, with an order, a weight and noise for each.
#input x

const ONE = 1073741824.0;  // a probability of 1 as a weight

fn logit(i: u32) -> f32 { return x_at(params.start + i) * params.inverse_temperature; }

// An integer that is ordered as the floats are.
fn key_of(v: f32) -> u32 {
  let b = bitcast<u32>(v);
  return select(b | 0x80000000u, ~b, (b >> 31u) == 1u);
}

// The weight of a logit: 1 by a scale of 0, else exp(logit - highest) times the scale. Weights are
// integers, because sums of floats depend on the order of the invocations.
fn weight_of(v: f32, highest: f32, scale: f32) -> u32 {
  return select(1u, u32(exp(v - highest) * scale), scale > 0.0);
}

// How much weight tokens must have together to be drawn from, by each of the cuts.
fn wanted_by_p() -> u32 { return max(u32(params.top_p * ONE), 1u); }

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
