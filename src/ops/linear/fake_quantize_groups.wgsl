// The same by one workgroup a row, which a GPU prefers: the ranges of its invocations meet in
// workgroup memory.
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

var<workgroup> lows: array<f32, WG>;
var<workgroup> highs: array<f32, WG>;

#main row lane
  if (row >= params.rows) { return; }
  let start = row * params.row_quads;
  // The range always holds 0.
  var low = vec4<f32>();
  var high = vec4<f32>();
  for (var i = lane; i < params.row_quads; i += WG) {
    let v = x_quad(start + i);
    low = min(low, v);
    high = max(high, v);
  }
  lows[lane] = min(min(low.x, low.y), min(low.z, low.w));
  highs[lane] = max(max(high.x, high.y), max(high.z, high.w));
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) {
      lows[lane] = min(lows[lane], lows[lane + stride]);
      highs[lane] = max(highs[lane], highs[lane + stride]);
    }
  }
  workgroupBarrier();
  let range = range_of(lows[0], highs[0]);
  for (var i = lane; i < params.row_quads; i += WG) { y_put(start + i, as_seen(x_quad(start + i), range)); }
}
