// One workgroup has seen it all.
#output y

fn put_winner(lane: u32, found: Find) {
  let best = best_over_lanes(found, lane);
  if (lane == 0u) { y_put(0u, vec4<y_t>(y_t(best.place), 0, 0, 0)); }
}
