// x as it is after a trip through int8, each row by a range of its own. ${LANES} invocations walk a row
// together, twice: to find its range, and to write it.
struct Params {
  rows: u32,
  row_quads: u32,
  lowest: f32,
  highest: f32,
  eps: f32,
}
#output y
#input x
#over_lanes range vec2<f32> vec2<f32>(min(a.x, b.x), max(a.y, b.y))

#include "int8_range.wgsl"

#lanes row lane
  if (row >= params.rows) { return; }
  let start = row * params.row_quads;
  // The range always holds 0.
  var low = vec4<f32>();
  var high = vec4<f32>();
  for (var i = lane; i < params.row_quads; i += ${LANES}u) {
    let v = x_quad(start + i);
    low = min(low, v);
    high = max(high, v);
  }
  let mine = vec2<f32>(min(min(low.x, low.y), min(low.z, low.w)), max(max(high.x, high.y), max(high.z, high.w)));
  let all = range_over_lanes(mine, lane);
  let range = range_of(all.x, all.y, params.lowest, params.highest, params.eps);
  for (var i = lane; i < params.row_quads; i += ${LANES}u) { y_put(start + i, as_seen(x_quad(start + i), range)); }
}
