// y is x with its dims turned round: what runs off the end of a dim comes in at its beginning.
struct Params {
  quads: u32,
  numel: u32,
  rank: u32,
  by_quad: u32,
  dims: array<vec4<u32>, 8>,  // its size, and how far ahead in x an element of y is found
}
#output y
#input x
#include "picked.wgsl"

// Which element of x is element i of y.
fn source(i: u32) -> u32 {
  var rest = i;
  var offset = 0u;
  var stride = 1u;
  for (var d = params.rank; d > 0u; d--) {
    let dim = params.dims[d - 1u];
    offset += (rest % dim.x + dim.y) % dim.x * stride;
    stride *= dim.x;
    rest /= dim.x;
  }
  return offset;
}

#main q
  if (q >= params.quads) { return; }
  y_put(q, picked(q, params.by_quad != 0u));
}
