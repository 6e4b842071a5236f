// The gradient of a cross entropy by its logits, from what ce_rows left of the rows.
struct Params {
  quads: u32,
  numel: u32,
  width: u32,
}
#output y
#input x
#input label
#input stats

#main q
  if (q >= params.quads) { return; }
  let logits = x_quad(q);
  var v = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let i = min(4u * q + k, params.numel - 1u);
    let row = i / params.width;
    let s = stats_quad(row);
    v[k] = exp(logits[k] - s.x) * s.y - select(0.0, s.w, i32(i % params.width) == label_at(row));
  }
  y_put(q, v);
}
