// Logits of one row, and the best of what the invocations of a workgroup found.
struct Params {
  count: u32,
  start: u32,  // of the row
  inverse_temperature: f32,
  top_k: u32,
  top_p: f32,
  draw: u32,
  seed_low: u32,
  seed_high: u32,
}
#output y
#input x

const LOWEST = -3.4e38;

var<workgroup> scores: array<f32, WG>;
var<workgroup> places: array<u32, WG>;

// The first of the best, so that what wins does not depend on the number of invocations.
fn put_winner(lane: u32, score: f32, place: u32) {
  scores[lane] = score;
  places[lane] = place;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) {
      let score = scores[lane + stride];
      let place = places[lane + stride];
      if (score > scores[lane] || (score == scores[lane] && place < places[lane])) {
        scores[lane] = score;
        places[lane] = place;
      }
    }
  }
  if (lane == 0u) { y_put(0u, vec4<y_t>(y_t(places[0]), 0, 0, 0)); }
}
