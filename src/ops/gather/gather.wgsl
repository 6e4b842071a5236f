// y has the dims of id, and takes each element from x at the same place but for one dim, where id
// says which. `stride` are x's strides, 0 for that dim, whose own is `chosen_stride`.
struct Params {
  quads: u32,
  numel: u32,
  rank: u32,
  count: u32,
  chosen_stride: u32,
  size: array<vec4<u32>, 2>,
  stride: array<vec4<u32>, 2>,
}
#output y
#input x
#input id

fn source(i: u32) -> u32 {
  // A number that the host could not check must not read past x.
  var offset = u32(clamp(id_at(i), 0, i32(params.count) - 1)) * params.chosen_stride;
  var rest = i;
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
  var v = vec4<y_t>();
  for (var k = 0u; k < 4u; k++) { v[k] = y_t(x_at(source(min(4u * q + k, params.numel - 1u)))); }
  y_put(q, v);
}
