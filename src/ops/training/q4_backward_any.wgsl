// The same for every size that the tiles cannot take: four outputs an invocation, one by one.
struct Params {
  quads: u32,
  numel: u32,
  columns: u32,
  depth: u32,
  group: u32,
  scale_row: u32,
}
#output y
#input d
#input w
#input scale

#main q
  if (q >= params.quads) { return; }
  var result = vec4<f32>();
  for (var lane = 0u; lane < 4u; lane++) {
    let i = min(4u * q + lane, params.numel - 1u);
    let m = i / params.columns;
    let k = i % params.columns;
    let scale_start = k / params.group * params.scale_row;
    var sum = 0.0;
    for (var n = 0u; n < params.depth; n++) {
      let nibble = (w_at(n * (params.columns / 2u) + k / 2u) >> (4u * (k & 1u))) & 15;
      sum += d_at(m * params.depth + n) * (f32(nibble) - 8.0) * scale_at(scale_start + n);
    }
    result[lane] = sum;
  }
  y_put(q, result);
}
