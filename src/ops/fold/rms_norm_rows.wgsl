// y = x * rsqrt(mean(x^2) + eps) * w. One invocation walks a whole row, without a barrier: the
// fastest way on an adapter that computes on the CPU.
struct Params {
  rows: u32,
  row_quads: u32,
  inverse_width: f32,
  eps: f32,
}
#output y
#include INPUTS
#input w

#main row
  if (row >= params.rows) { return; }
  let start = row * params.row_quads;
  var sum = vec4<f32>();
  for (var i = 0u; i < params.row_quads; i++) {
    let v = take(start + i);
    sum += v * v;
  }
  let scale = inverseSqrt((sum.x + sum.y + sum.z + sum.w) * params.inverse_width + params.eps);
  for (var i = 0u; i < params.row_quads; i++) {
    y_put(start + i, again(start + i) * scale * w_quad(i));
  }
}
