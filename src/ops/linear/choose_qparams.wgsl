// The scale and zero point that map each row of x onto int8. One invocation takes four rows, so
// that it writes whole quads.
struct Params {
  rows: u32,
  width: u32,
  lowest: f32,
  highest: f32,
  eps: f32,
}
#output scale
#output zero
#input x

#main q
  if (4u * q >= params.rows) { return; }
  // The range always holds 0.
  var low = vec4<f32>();
  var high = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let start = min(4u * q + k, params.rows - 1u) * params.width;
    for (var i = 0u; i < params.width; i++) {
      let v = x_at(start + i);
      low[k] = min(low[k], v);
      high[k] = max(high[k], v);
    }
  }
  let s = max((high - low) / (params.highest - params.lowest), vec4<f32>(params.eps));
  let z = clamp(params.lowest - round(low / s), vec4<f32>(params.lowest), vec4<f32>(params.highest));
  scale_put(q, s);
  zero_put(q, vec4<i32>(z));
}
