// y = x * scale[row] * w, for rows of any width and any w that broadcasts to x.
struct Params {
  quads: u32,
  width: u32,
  numel: u32,
  rank: u32,
  size: array<vec4<u32>, 2>,
  w_stride: array<vec4<u32>, 2>,
}
#output y
#input x
#input scale
#input w

fn w_source(i: u32) -> u32 {
  var rest = i;
  var offset = 0u;
  for (var d = params.rank; d > 0u; d--) {
    let k = d - 1u;
    let size = params.size[k >> 2u][k & 3u];
    offset += (rest % size) * params.w_stride[k >> 2u][k & 3u];
    rest /= size;
  }
  return offset;
}

#main q
  if (q >= params.quads) { return; }
  var factor = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let i = min(4u * q + k, params.numel - 1u);
    factor[k] = scale_at(i / params.width) * w_at(w_source(i));
  }
  y_put(q, x_quad(q) * factor);
}
