// y = (x - mean) * scale * w + b, row by row, and mean and scale themselves; scale is one over the
// standard deviation. Four rows are whole quads of every output: ${LANES} invocations take four.
//
// The weights: row r belongs to group r % groups, whose elements take turns of `share` with each of
// its `group_weights` weights. Layer norm has one group, and shares nothing.
struct Params {
  quads: u32,
  rows: u32,
  width: u32,
  groups: u32,
  group_weights: u32,
  share: u32,
  eps: f32,
}
#output y
#output mean
#output scale
#input x
#image w
#image b
#over_lanes sum vec4<f32> a + b

// Whether every row is whole quads.
fn by_quad() -> bool { return params.width % 4u == 0u; }

// So many rounds are summed by themselves: a long sum would lose what is small beside it.
const CHUNK: u32 = 256u;

fn row_sum(row: u32, lane: u32) -> f32 {
  let start = row * params.width;
  let count = select(params.width, params.width / 4u, by_quad());
  var sum = 0.0;
  for (var chunk = lane; chunk < count; chunk += CHUNK * ${LANES}u) {
    let end = min(chunk + CHUNK * ${LANES}u, count);
    var part = vec4<f32>();
    if (by_quad()) {
      for (var i = chunk; i < end; i += ${LANES}u) { part += x_quad(start / 4u + i); }
    } else {
      for (var i = chunk; i < end; i += ${LANES}u) { part.x += x_at(start + i); }
    }
    sum += part.x + part.y + part.z + part.w;
  }
  return sum;
}

// The sum of squares about the mean: unlike mean(x^2) - mean(x)^2 it loses nothing to a large mean.
fn row_spread(row: u32, mean: f32, lane: u32) -> f32 {
  let start = row * params.width;
  if (by_quad()) {
    var sums = vec4<f32>();
    for (var i = lane; i < params.width / 4u; i += ${LANES}u) {
      let d = x_quad(start / 4u + i) - mean;
      sums += d * d;
    }
    return sums.x + sums.y + sums.z + sums.w;
  }
  var sum = 0.0;
  for (var i = lane; i < params.width; i += ${LANES}u) {
    let d = x_at(start + i) - mean;
    sum += d * d;
  }
  return sum;
}

// Which weight belongs to element `at` of a row.
fn weight_of(row: u32, at: u32) -> u32 {
  return row % params.groups * params.group_weights + at / params.share;
}

fn affine_quad(v: vec4<f32>, q: u32) -> vec4<f32> { return v * ${W_QUAD} + ${B_QUAD}; }
fn affine_at(v: f32, i: u32) -> f32 { return v * ${W_AT} + ${B_AT}; }

// v are elements of the row from `at` on, which is at a whole quad of a row of whole quads.
fn affine(v: vec4<f32>, row: u32, at: u32) -> vec4<f32> {
  if (params.share == 1u && params.group_weights % 4u == 0u) {
    return affine_quad(v, weight_of(row, at) / 4u);
  }
  return vec4<f32>(affine_at(v.x, weight_of(row, at)), affine_at(v.y, weight_of(row, at + 1u)),
                   affine_at(v.z, weight_of(row, at + 2u)), affine_at(v.w, weight_of(row, at + 3u)));
}

// Up to four rows from `first` on, a multiple of four.
fn write_rows(first: u32, rows: u32, means: vec4<f32>, scales: vec4<f32>, lane: u32) {
  let begin = first / 4u * params.width;
  if (by_quad()) {
    let row_quads = params.width / 4u;
    for (var k = 0u; k < rows; k++) {
      for (var i = lane; i < row_quads; i += ${LANES}u) {
        let q = begin + k * row_quads + i;
        y_put(q, affine((x_quad(q) - means[k]) * scales[k], first + k, 4u * i));
      }
    }
    return;
  }
  for (var i = lane; i < (rows * params.width + 3u) / 4u; i += ${LANES}u) {
    let x = x_quad(begin + i);
    var v = vec4<f32>();
    for (var k = 0u; k < 4u; k++) {
      let row = min((4u * i + k) / params.width, 3u);
      let at = (4u * i + k) % params.width;
      v[k] = affine_at((x[k] - means[row]) * scales[row], weight_of(first + row, at));
    }
    y_put(begin + i, v);
  }
}

#lanes q lane
  if (q >= params.quads) { return; }
  let first = 4u * q;
  let rows = min(4u, params.rows - first);
  // One component a row.
  var sums = vec4<f32>();
  for (var k = 0u; k < rows; k++) { sums[k] = row_sum(first + k, lane); }
  let means = sum_over_lanes(sums, lane) / f32(params.width);
  var spreads = vec4<f32>();
  for (var k = 0u; k < rows; k++) { spreads[k] = row_spread(first + k, means[k], lane); }
  let scales = inverseSqrt(sum_over_lanes(spreads, lane) / f32(params.width) + params.eps);
  if (lane == 0u) {
    mean_put(q, means);
    scale_put(q, scales);
  }
  write_rows(first, rows, means, scales, lane);
}
