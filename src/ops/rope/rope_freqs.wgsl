// Rotary embedding of one tensor [batch, N, C] by a table [N, C] of interleaved (cosine, sine) pairs.
struct Params {
  quads: u32,
  table_quads: u32,
}
#output y
#input x
#input freqs

#main i
  if (i >= params.quads) { return; }
  let v = x_quad(i);
  let f = freqs_quad(i % params.table_quads);
  let even = v.xz * f.xz - v.yw * f.yw;
  let odd = v.xz * f.yw + v.yw * f.xz;
  y_put(i, vec4<f32>(even.x, odd.x, even.y, odd.y));
}
