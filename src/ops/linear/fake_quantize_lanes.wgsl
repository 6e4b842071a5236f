// x as it is after a trip through int8, each row by a range of its own. The lanes of a subgroup walk
// a row together, twice: to find its range, and to write it.
struct Params {
  rows: u32,
  row_quads: u32,
  lowest: f32,
  highest: f32,
  eps: f32,
}
#output y
#input x
#include RANGE

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
  var all = vec2<f32>();
#unroll l ${LANES}
  {
    let other = ${FROM_LANE};
    all = vec2<f32>(min(all.x, other.x), max(all.y, other.y));
  }
#end
  let range = range_of(all.x, all.y);
  for (var i = lane; i < params.row_quads; i += ${LANES}u) { y_put(start + i, as_seen(x_quad(start + i), range)); }
}
