// The largest of a row of x, and the sum of exp(x - largest), as far as invocation `lane` of ${LANES}
// finds them. Rows have `params.width` elements.
#include "lowest.wgsl"
alias T = f32;
#include "gathered.wgsl"

// Whether every row is whole quads.
fn by_quad() -> bool { return params.width % 4u == 0u; }

fn places(i: u32) -> vec4<u32> { return vec4<u32>(4u * i) + vec4<u32>(0u, 1u, 2u, 3u); }

// Four elements of a row that begins anywhere; past its end, the last again.
fn row_part(start: u32, i: u32) -> vec4<f32> {
  return gathered(vec4<u32>(start) + min(places(i), vec4<u32>(params.width - 1u)));
}

fn row_top(row: u32, lane: u32) -> f32 {
  let start = row * params.width;
  var most = vec4<f32>(LOWEST);
  if (by_quad()) {
    for (var i = lane; i < params.width / 4u; i += ${LANES}u) { most = max(most, x_quad(start / 4u + i)); }
  } else {
    for (var i = lane; i < (params.width + 3u) / 4u; i += ${LANES}u) { most = max(most, row_part(start, i)); }
  }
  return max(max(most.x, most.y), max(most.z, most.w));
}

fn row_sum(row: u32, top: f32, lane: u32) -> f32 {
  let start = row * params.width;
  var sums = vec4<f32>();
  if (by_quad()) {
    for (var i = lane; i < params.width / 4u; i += ${LANES}u) { sums += exp(x_quad(start / 4u + i) - top); }
  } else {
    for (var i = lane; i < (params.width + 3u) / 4u; i += ${LANES}u) {
      sums += select(vec4<f32>(), exp(row_part(start, i) - top), places(i) < vec4<u32>(params.width));
    }
  }
  return sums.x + sums.y + sums.z + sums.w;
}
