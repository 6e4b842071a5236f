// Work on a row by `lanes` invocations, of which this is number `lane`.

// Whether every row is whole quads.
fn by_quad() -> bool { return params.width % 4u == 0u; }

// So many rounds are summed by themselves: a long sum would lose what is small beside it.
const CHUNK: u32 = 256u;

fn row_sum(row: u32, lane: u32, lanes: u32) -> f32 {
  let start = row * params.width;
  let count = select(params.width, params.width / 4u, by_quad());
  var sum = 0.0;
  for (var chunk = lane; chunk < count; chunk += CHUNK * lanes) {
    let end = min(chunk + CHUNK * lanes, count);
    var part = vec4<f32>();
    if (by_quad()) {
      for (var i = chunk; i < end; i += lanes) { part += x_quad(start / 4u + i); }
    } else {
      for (var i = chunk; i < end; i += lanes) { part.x += x_at(start + i); }
    }
    sum += part.x + part.y + part.z + part.w;
  }
  return sum;
}

// The sum of squares about the mean: unlike mean(x^2) - mean(x)^2 it loses nothing to a large mean.
fn row_spread(row: u32, mean: f32, lane: u32, lanes: u32) -> f32 {
  let start = row * params.width;
  if (by_quad()) {
    var sums = vec4<f32>();
    for (var i = lane; i < params.width / 4u; i += lanes) {
      let d = x_quad(start / 4u + i) - mean;
      sums += d * d;
    }
    return sums.x + sums.y + sums.z + sums.w;
  }
  var sum = 0.0;
  for (var i = lane; i < params.width; i += lanes) {
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
fn write_rows(first: u32, rows: u32, means: vec4<f32>, scales: vec4<f32>, lane: u32, lanes: u32) {
  let begin = first / 4u * params.width;
  if (by_quad()) {
    let row_quads = params.width / 4u;
    for (var k = 0u; k < rows; k++) {
      for (var i = lane; i < row_quads; i += lanes) {
        let q = begin + k * row_quads + i;
        y_put(q, affine((x_quad(q) - means[k]) * scales[k], first + k, 4u * i));
      }
    }
    return;
  }
  for (var i = lane; i < (rows * params.width + 3u) / 4u; i += lanes) {
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
