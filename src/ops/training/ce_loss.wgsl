// The loss of all rows together, by one workgroup.
struct Params {
  rows: u32,
}
#output loss
#input stats
#over_lanes sum f32 a + b

#main group lane
  if (group > 0u) { return; }
  var mine = 0.0;
  for (var row = lane; row < params.rows; row += WG) { mine += stats_quad(row).z; }
  let sum = sum_over_lanes(mine, lane);
  if (lane == 0u) { loss_put(0u, vec4<f32>(sum)); }
}
