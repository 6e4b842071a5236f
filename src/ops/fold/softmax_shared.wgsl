// Work on a row of the last dim by `lanes` invocations, of which this is number `lane`.

// Whether every row is whole quads.
fn by_quad() -> bool { return params.width % 4u == 0u; }

fn row_top(row: u32, lane: u32, lanes: u32) -> f32 {
  let start = row * params.width;
  if (by_quad()) {
    var most = vec4<f32>(LOWEST);
    for (var i = lane; i < params.width / 4u; i += lanes) { most = max(most, x_quad(start / 4u + i)); }
    return max(max(most.x, most.y), max(most.z, most.w));
  }
  var top = LOWEST;
  for (var i = lane; i < params.width; i += lanes) { top = max(top, x_at(start + i)); }
  return top;
}

fn row_sum(row: u32, top: f32, lane: u32, lanes: u32) -> f32 {
  let start = row * params.width;
  if (by_quad()) {
    var sums = vec4<f32>();
    for (var i = lane; i < params.width / 4u; i += lanes) { sums += exp(x_quad(start / 4u + i) - top); }
    return sums.x + sums.y + sums.z + sums.w;
  }
  var sum = 0.0;
  for (var i = lane; i < params.width; i += lanes) { sum += exp(x_at(start + i) - top); }
  return sum;
}

// Rows from `first` on, which is at a whole quad.
fn write_rows(first: u32, rows: u32, tops: vec4<f32>, scales: vec4<f32>, lane: u32, lanes: u32) {
  let begin = first * params.width / 4u;
  if (by_quad()) {
    for (var i = lane; i < params.width / 4u; i += lanes) {
      y_put(begin + i, result(x_quad(begin + i), vec4<f32>(tops.x), vec4<f32>(scales.x)));
    }
    return;
  }
  for (var i = lane; i < (rows * params.width + 3u) / 4u; i += lanes) {
    let row = min((vec4<u32>(4u * i) + vec4<u32>(0u, 1u, 2u, 3u)) / params.width, vec4<u32>(3u));
    let top = vec4<f32>(tops[row.x], tops[row.y], tops[row.z], tops[row.w]);
    let scale = vec4<f32>(scales[row.x], scales[row.y], scales[row.z], scales[row.w]);
    y_put(begin + i, result(x_quad(begin + i), top, scale));
  }
}
