// scale = rsqrt(mean(x^2) + eps) of each row, for rows of any width. One invocation takes four
// rows, so that it writes a whole quad.
struct Params {
  rows: u32,
  width: u32,
  eps: f32,
}
#output scale
#input x

#main q
  if (4u * q >= params.rows) { return; }
  var sums = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let row = min(4u * q + k, params.rows - 1u);
    for (var i = 0u; i < params.width; i++) {
      let v = x_at(row * params.width + i);
      sums[k] += v * v;
    }
  }
  scale_put(q, inverseSqrt(sums / f32(params.width) + params.eps));
}
