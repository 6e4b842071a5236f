// y = f(a, b) where a and b broadcast to y's dims: strides of 0 repeat.
struct Params {
  quads: u32,
  rank: u32,
  by_quad: u32,
  alpha: f32,
  size: array<vec4<u32>, 2>,
  a_stride: array<vec4<u32>, 2>,
  b_stride: array<vec4<u32>, 2>,
  a_inner_stride: u32,
  b_inner_stride: u32,
}
#output y
#input a
#input b
alias T = ${T};
#include FUNCTIONS

// Where element i of y comes from in a and b.
fn sources(i: u32) -> vec2<u32> {
  var rest = i;
  var offsets = vec2<u32>(0u);
  for (var d = params.rank; d > 0u; d--) {
    let k = d - 1u;
    let size = params.size[k >> 2u][k & 3u];
    let at = rest % size;
    rest /= size;
    offsets += at * vec2<u32>(params.a_stride[k >> 2u][k & 3u], params.b_stride[k >> 2u][k & 3u]);
  }
  return offsets;
}

#main q
  if (q >= params.quads) { return; }
  var a = vec4<T>();
  var b = vec4<T>();
  if (params.by_quad != 0u) {
    let origin = sources(4u * q);
    if (params.a_inner_stride != 0u) { a = vec4<T>(a_quad(origin.x >> 2u)); } else { a = vec4<T>(T(a_at(origin.x))); }
    if (params.b_inner_stride != 0u) { b = vec4<T>(b_quad(origin.y >> 2u)); } else { b = vec4<T>(T(b_at(origin.y))); }
  } else {
    for (var k = 0u; k < 4u; k++) {
      let origin = sources(4u * q + k);
      a[k] = T(a_at(origin.x));
      b[k] = T(b_at(origin.y));
    }
  }
  let alpha = T(params.alpha);
  y_put(q, vec4<y_t>(${EXPRESSION}));
}
