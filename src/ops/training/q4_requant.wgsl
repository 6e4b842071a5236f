// Weights as 4-bit codes: round(weight / scale) from -8 to 7, plus 8, two in a byte. The scales are
// [width / group, rows].
struct Params {
  quads: u32,
  numel: u32,
  rows: u32,
  width: u32,
  row_bytes: u32,
  group: u32,
}
#output y
#input x
#input scale

fn code(row: u32, column: u32) -> i32 {
  if (column >= params.width) { return 0; }
  let s = scale_at(column / params.group * params.rows + row);
  if (s == 0.0) { return 8; }
  let weight = x_at(row * params.width + column);
  // A quotient may be a few units off in WGSL, which matters where it lies between two codes: the
  // rest that it leaves says by how much.
  let near = clamp(weight / s, -9.0, 8.0);
  return i32(clamp(round(near + fma(-near, s, weight) / s), -8.0, 7.0)) + 8;
}

#main q
  if (q >= params.quads) { return; }
  var v = vec4<i32>();
  for (var k = 0u; k < 4u; k++) {
    let i = min(4u * q + k, params.numel - 1u);
    let row = i / params.row_bytes;
    let column = 2u * (i % params.row_bytes);
    v[k] = code(row, column) | (code(row, column + 1u) << 4u);
  }
  y_put(q, v);
}
