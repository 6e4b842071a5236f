// The same for every size that the tiles cannot take: four outputs an invocation, one by one.
struct Params {
  quads: u32,
  numel: u32,
  columns: u32,
  depth: u32,
  row_words: u32,
  group: u32,
  scale_row: u32,
  has_bias: u32,
}
#output y
#input x
#input w : u32
#input scale
#input bias

#main q
  if (q >= params.quads) { return; }
  var result = vec4<f32>();
  for (var lane = 0u; lane < 4u; lane++) {
    let i = min(4u * q + lane, params.numel - 1u);
    let m = i / params.columns;
    let n = i % params.columns;
    var sum = 0.0;
    for (var k = 0u; k < params.depth; k++) {
      let word = w_item(n * params.row_words + (k >> 3u));
      let nibble = (word >> (4u * ((k & 7u) ^ ${NIBBLE_SWAP}u))) & 15u;
      let weight = f32(i32(nibble) - 8) * scale_at((k / params.group) * params.scale_row + n);
      sum += x_at(m * params.depth + k) * weight;
    }
    if (params.has_bias != 0u) { sum += bias_at(n); }
    result[lane] = sum;
  }
  y_put(q, result);
}
