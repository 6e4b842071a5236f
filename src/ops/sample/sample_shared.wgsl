// Logits of one row, and the best that the invocations of a workgroup found among them.
struct Params {
  count: u32,
  start: u32,  // of the row
  inverse_temperature: f32,
  top_k: u32,
  top_p: f32,
  draw: u32,
  seed_low: u32,
  seed_high: u32,
  // Where several workgroups share a row:
  parts: u32,  // as many as there are
  slice: u32,  // elements for each
  cut: u32,    // which cut is looked for, of CUT_K and CUT_P
  digit: u32,  // and which part of its bits
}

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
