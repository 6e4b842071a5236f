// The scale and the zero point that map each row of x onto small integers. ${LANES} invocations take
// four rows, so that they write whole quads.
struct Params {
  rows: u32,
  width: u32,
  lowest: f32,
  highest: f32,
  middle: f32,
  eps: f32,
}
#output scale
#output zero
#input x
#over_lanes low vec4<f32> min(a, b)
#over_lanes high vec4<f32> max(a, b)

// How a range that holds 0 is mapped onto integers from params.lowest to params.highest: four ranges
// at once.
struct Mapping {
  scale: vec4<f32>,
  zero: vec4<f32>,
}

fn held(zero: vec4<f32>) -> vec4<f32> {
  return clamp(zero, vec4<f32>(params.lowest), vec4<f32>(params.highest));
}

fn asymmetric(low: vec4<f32>, high: vec4<f32>) -> Mapping {
  let scale = max((high - low) / (params.highest - params.lowest), vec4<f32>(params.eps));
  return Mapping(scale, held(params.lowest - round(low / scale)));
}

// The zero point from the end of the range at which it errs less.
fn by_least_error(low: vec4<f32>, high: vec4<f32>) -> Mapping {
  let scale = max((high - low) / (params.highest - params.lowest), vec4<f32>(params.eps));
  let from_low = low / scale;
  let from_high = high / scale;
  let error = (params.lowest + from_low) + (params.highest + from_high);
  return Mapping(scale, round(held(select(params.highest - from_high, params.lowest - from_low, error > vec4<f32>(0.0)))));
}

fn symmetric(low: vec4<f32>, high: vec4<f32>) -> Mapping {
  let scale = max(-low, high) / (0.5 * (params.highest - params.lowest));
  return Mapping(max(scale, vec4<f32>(params.eps)), vec4<f32>(params.middle));
}

fn symmetric_unclipped(low: vec4<f32>, high: vec4<f32>) -> Mapping {
  let scale = max(low / params.lowest, high / params.highest);
  return Mapping(max(scale, vec4<f32>(params.eps)), vec4<f32>(params.middle));
}

// Of the elements of x from start to end, those of a quad; others count as 0, which every range holds.
fn within(quad: u32, start: u32, end: u32) -> vec4<f32> {
  let at = vec4<u32>(4u * quad) + vec4<u32>(0u, 1u, 2u, 3u);
  return select(vec4<f32>(), vec4<f32>(x_quad(quad)), (at >= vec4<u32>(start)) & (at < vec4<u32>(end)));
}

#lanes q lane
  if (4u * q >= params.rows) { return; }
  var low = vec4<f32>();
  var high = vec4<f32>();
  let rows = min(params.rows - 4u * q, 4u);
  for (var k = 0u; k < rows; k++) {
    let start = (4u * q + k) * params.width;
    let end = start + params.width;
    var least = vec4<f32>();
    var most = vec4<f32>();
    for (var i = (start >> 2u) + lane; 4u * i < end; i += ${LANES}u) {
      let v = within(i, start, end);
      least = min(least, v);
      most = max(most, v);
    }
    low[k] = min(min(least.x, least.y), min(least.z, least.w));
    high[k] = max(max(most.x, most.y), max(most.z, most.w));
  }
  let m = ${MAPPING}(low_over_lanes(low, lane), high_over_lanes(high, lane));
  if (lane == 0u) {
    scale_put(q, m.scale);
    zero_put(q, vec4<zero_t>(m.zero));
  }
}
