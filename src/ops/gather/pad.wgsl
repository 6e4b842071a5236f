// y is x with some elements before and after it along each dim; negative counts cut x off instead.
struct Params {
  quads: u32,
  rank: u32,
  by_quad: u32,
  value_float: f32,
  value_int: i32,
  y_size: array<vec4<u32>, 2>,
  x_size: array<vec4<u32>, 2>,
  before: array<vec4<i32>, 2>,
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
    let k = d - 1u;
    let size = params.x_size[k >> 2u][k & 3u];
    let y_size = params.y_size[k >> 2u][k & 3u];
    // Left of x it wraps to a huge number.
    let at = u32(i32(rest % y_size) - params.before[k >> 2u][k & 3u]);
    if (at >= size) { return NOWHERE; }
    offset += at * stride;
    stride *= size;
    rest /= y_size;
  }
  return offset;
}

#main q
  if (q >= params.quads) { return; }
  var v = vec4<y_t>(params.value_${T_NAME});
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
