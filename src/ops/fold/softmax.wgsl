// Softmax of the last dim. ${LANES} invocations take `rows_each` rows, as many as make whole quads, and
// walk each three times: for the largest, for the sum of exponentials, and to write.
struct Params {
  blocks: u32,
  rows_each: u32,
  rows: u32,
  width: u32,
}
#output y
#input x
#include "softmax_functions.wgsl"
#include "exponential_sums.wgsl"
#over_lanes top vec4<f32> max(a, b)
#over_lanes sum vec4<f32> a + b

// Rows from `first` on, which is at a whole quad.
fn write_rows(first: u32, rows: u32, tops: vec4<f32>, scales: vec4<f32>, lane: u32) {
  let begin = first * params.width / 4u;
  if (by_quad()) {
    for (var i = lane; i < params.width / 4u; i += ${LANES}u) {
      y_put(begin + i, result(x_quad(begin + i), vec4<f32>(tops.x), vec4<f32>(scales.x)));
    }
    return;
  }
  for (var i = lane; i < (rows * params.width + 3u) / 4u; i += ${LANES}u) {
    let row = min((vec4<u32>(4u * i) + vec4<u32>(0u, 1u, 2u, 3u)) / params.width, vec4<u32>(3u));
    let top = vec4<f32>(tops[row.x], tops[row.y], tops[row.z], tops[row.w]);
    let scale = vec4<f32>(scales[row.x], scales[row.y], scales[row.z], scales[row.w]);
    y_put(begin + i, result(x_quad(begin + i), top, scale));
  }
}

#lanes block lane
  if (block >= params.blocks) { return; }
  let first = block * params.rows_each;
  let rows = min(params.rows_each, params.rows - first);
  // One component a row.
  var tops = vec4<f32>(LOWEST);
  for (var k = 0u; k < rows; k++) { tops[k] = row_top(first + k, lane); }
  tops = top_over_lanes(tops, lane);
  var sums = vec4<f32>();
  for (var k = 0u; k < rows; k++) { sums[k] = row_sum(first + k, tops[k], lane); }
  write_rows(first, rows, tops, scale_of(sum_over_lanes(sums, lane)), lane);
}
