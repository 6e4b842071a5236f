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

// How a row is mapped onto int8, by its least and its largest element.
struct Range {
  scale: f32,
  zero: f32,
  lowest: vec4<f32>,
  highest: vec4<f32>,
}

fn range_of(low: f32, high: f32) -> Range {
  let scale = max((high - low) / (params.highest - params.lowest), params.eps);
  return Range(scale, clamp(params.lowest - round(low / scale), params.lowest, params.highest), vec4<f32>(params.lowest), vec4<f32>(params.highest));
}

fn as_seen(v: vec4<f32>, range: Range) -> vec4<f32> {
  let quantized = clamp(round(v / range.scale) + range.zero, range.lowest, range.highest);
  return (quantized - range.zero) * range.scale;
}

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
  let range = range_of(all.x, all.y);
  for (var i = lane; i < params.row_quads; i += ${LANES}u) { y_put(start + i, as_seen(x_quad(start + i), range)); }
}
