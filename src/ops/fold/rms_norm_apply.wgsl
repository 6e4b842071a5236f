// y = x * scale[row] * w, for rows of any width, where x and w broadcast to y.
struct Params {
  quads: u32,
  width: u32,
  numel: u32,
  rank: u32,
  dims: array<vec4<u32>, 8>,
}
#output y
#input x
#input scale
#input w
#include "walk.wgsl"

#main q
  if (q >= params.quads) { return; }
  var result = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let origin = walk(min(4u * q + k, params.numel - 1u), 0u, params.rank);
    result[k] = x_at(origin.x) * scale_at(origin.x / params.width) * w_at(origin.y);
  }
  y_put(q, result);
}
