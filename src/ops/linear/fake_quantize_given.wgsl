// x as it is after a trip through int8: what an integer product would have seen.
struct Params {
  quads: u32,
  numel: u32,
  width: u32,
}
#output y
#input x
#input scale
#input zero

#main q
  if (q >= params.quads) { return; }
  var s = vec4<f32>();
  var z = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let row = min(4u * q + k, params.numel - 1u) / params.width;
    s[k] = scale_at(row);
    z[k] = f32(zero_at(row));
  }
  let quantized = clamp(round(x_quad(q) / s) + z, vec4<f32>(-128.0), vec4<f32>(127.0));
  y_put(q, (quantized - z) * s);
}
