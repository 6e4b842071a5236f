// y = elements of x, each at a place that is known by the dims of y and one of `offsets`.
struct Params {
  quads: u32,
  numel: u32,
  rank: u32,
  by_quad: u32,
  dims: array<vec4<u32>, 8>,  // of y, with strides in x and in `offsets`
}
#output y
#input x
#input offsets
#include "walk.wgsl"
#include "picked.wgsl"

fn source(i: u32) -> u32 {
  let at = walk(i, 0u, params.rank);
  return at.x + u32(offsets_at(at.y));
}

#main q
  if (q >= params.quads) { return; }
  y_put(q, picked(q, params.by_quad != 0u));
}
