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

// A token and how good it is.
struct Find {
  score: f32,
  place: u32,
}
#over_lanes best Find better(a, b)

// The first of the best, so that what wins does not depend on the number of invocations.
fn better(a: Find, b: Find) -> Find {
  if (b.score > a.score || (b.score == a.score && b.place < a.place)) { return b; }
  return a;
}

fn put_winner(lane: u32, found: Find) {
  let best = best_over_lanes(found, lane);
  if (lane == 0u) { y_put(0u, vec4<y_t>(y_t(best.place), 0, 0, 0)); }
}
