// Softmax along a dim that is not the last, from what softmax_stats found.
struct Params {
  quads: u32,
  count: u32,
  inner: u32,
}
#output y
#input x
#input top
#input sum
#include "softmax_functions.wgsl"

fn walk_of(i: u32) -> u32 {
  return i / (params.count * params.inner) * params.inner + i % params.inner;
}

#main q
  if (q >= params.quads) { return; }
  var tops = vec4<f32>();
  var sums = vec4<f32>();
  if (params.inner % 4u == 0u) {
    let walk = walk_of(4u * q) / 4u;
    tops = top_quad(walk);
    sums = sum_quad(walk);
  } else {
    for (var k = 0u; k < 4u; k++) {
      let walk = walk_of(4u * q + k);
      tops[k] = top_at(walk);
      sums[k] = sum_at(walk);
    }
  }
  y_put(q, result(x_quad(q), tops, scale_of(sums)));
}
