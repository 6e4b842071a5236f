// y is x with some elements before and after it along each dim; negative counts cut x off instead.
struct Params {
  quads: u32,
  rank: u32,
  by_quad: u32,
  value: u32,  // bits of a y_t
  dims: array<vec4<u32>, 8>,  // the size of y, the size of x, and how many elements come before x
}
#output y
#input x

const NOWHERE: u32 = 0xffffffffu;

// Which element of x is element i of y.
fn source(i: u32) -> u32 {
  var rest = i;
  var offset = 0u;
  var stride = 1u;
  for (var d = params.rank; d > 0u; d--) {
    let dim = params.dims[d - 1u];
    // Left of x it wraps to a huge number.
    let at = rest % dim.x - dim.z;
    if (at >= dim.y) { return NOWHERE; }
    offset += at * stride;
    stride *= dim.y;
    rest /= dim.x;
  }
  return offset;
}

#main q
  if (q >= params.quads) { return; }
  var v = vec4<y_t>(bitcast<y_t>(params.value));
  if (params.by_quad != 0u) {
    let origin = source(4u * q);
    if (origin != NOWHERE) { v = vec4<y_t>(x_quad(origin >> 2u)); }
  } else {
    for (var k = 0u; k < 4u; k++) {
      let origin = source(4u * q + k);
      if (origin != NOWHERE) { v[k] = y_t(x_at(origin)); }
    }
  }
  y_put(q, v);
}
