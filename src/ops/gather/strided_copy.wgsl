// y[i] = x[offset + sum of coordinate * stride]: every op that only picks and reorders elements.
struct Params {
  quads: u32,
  rank: u32,
  by_quad: u32,
  offset: u32,
  size: array<vec4<u32>, 2>,
  stride: array<vec4<u32>, 2>,
  inner_stride: u32,
}
#output y
#input x

fn source(i: u32) -> u32 {
  var rest = i;
  var offset = params.offset;
  for (var d = params.rank; d > 0u; d--) {
    let k = d - 1u;
    let size = params.size[k >> 2u][k & 3u];
    offset += (rest % size) * params.stride[k >> 2u][k & 3u];
    rest /= size;
  }
  return offset;
}

#main q
  if (q >= params.quads) { return; }
  var v = vec4<x_t>();
  if (params.by_quad != 0u) {
    let origin = source(4u * q);
    if (params.inner_stride != 0u) { v = x_quad(origin >> 2u); } else { v = vec4<x_t>(x_at(origin)); }
  } else {
    for (var k = 0u; k < 4u; k++) { v[k] = x_at(source(4u * q + k)); }
  }
  y_put(q, vec4<y_t>(v));
}
