// y = x * scale[row] * w, for rows of any width, where x and w broadcast to y.
struct Params {
  quads: u32,
  width: u32,
  numel: u32,
  rank: u32,
  size: array<vec4<u32>, 2>,
  x_stride: array<vec4<u32>, 2>,
  w_stride: array<vec4<u32>, 2>,
}
#output y
#input x
#input scale
#input w

// Where element i of y comes from in x and w.
fn sources(i: u32) -> vec2<u32> {
  var rest = i;
  var offsets = vec2<u32>(0u);
  for (var d = params.rank; d > 0u; d--) {
    let k = d - 1u;
    let size = params.size[k >> 2u][k & 3u];
    offsets += (rest % size) * vec2<u32>(params.x_stride[k >> 2u][k & 3u], params.w_stride[k >> 2u][k & 3u]);
    rest /= size;
  }
  return offsets;
}

#main q
  if (q >= params.quads) { return; }
  var result = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let origin = sources(min(4u * q + k, params.numel - 1u));
    result[k] = x_at(origin.x) * scale_at(origin.x / params.width) * w_at(origin.y);
  }
  y_put(q, result);
}
