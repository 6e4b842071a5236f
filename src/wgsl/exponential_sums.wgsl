// The largest of a row of x, and the sum of exp(x - largest), as far as invocation `lane` of ${LANES}
// finds them. Rows have `params.width` elements.
#include "lowest.wgsl"

// Whether every row is whole quads.
fn by_quad() -> bool { return params.width % 4u == 0u; }

fn row_top(row: u32, lane: u32) -> f32 {
  let start = row * params.width;
  if (by_quad()) {
    var most = vec4<f32>(LOWEST);
    for (var i = lane; i < params.width / 4u; i += ${LANES}u) { most = max(most, x_quad(start / 4u + i)); }
    return max(max(most.x, most.y), max(most.z, most.w));
  }
  var top = LOWEST;
  for (var i = lane; i < params.width; i += ${LANES}u) { top = max(top, x_at(start + i)); }
  return top;
}

fn row_sum(row: u32, top: f32, lane: u32) -> f32 {
  let start = row * params.width;
  if (by_quad()) {
    var sums = vec4<f32>();
    for (var i = lane; i < params.width / 4u; i += ${LANES}u) { sums += exp(x_quad(start / 4u + i) - top); }
    return sums.x + sums.y + sums.z + sums.w;
  }
  var sum = 0.0;
  for (var i = lane; i < params.width; i += ${LANES}u) { sum += exp(x_at(start + i) - top); }
  return sum;
}
