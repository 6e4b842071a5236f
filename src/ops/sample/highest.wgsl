#over_lanes top f32 max(a, b)

fn highest_of_row(lane: u32) -> f32 {
  var found = LOWEST;
  for (var i = lane; i < params.parts; i += WG) { found = max(found, bitcast<f32>(atomicLoad(&memory[TOPS + i]))); }
  return top_over_lanes(found, lane);
}
