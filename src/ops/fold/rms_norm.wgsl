// y = x * rsqrt(mean(x^2) + eps) * w. ${LANES} invocations walk a row, whose quads all have weights.
struct Params {
  rows: u32,
  row_quads: u32,
  inverse_width: f32,
  eps: f32,
}
#output y
${INPUTS}
#input w
#over_lanes sum f32 a + b

#lanes row lane
  if (row >= params.rows) { return; }
  let start = row * params.row_quads;
  var squares = vec4<f32>();
  for (var i = lane; i < params.row_quads; i += ${LANES}u) {
    let v = take(start + i);
    squares += v * v;
  }
  let sum = sum_over_lanes(squares.x + squares.y + squares.z + squares.w, lane);
  let scale = inverseSqrt(sum * params.inverse_width + params.eps);
  for (var i = lane; i < params.row_quads; i += ${LANES}u) {
    y_put(start + i, again(start + i) * scale * w_quad(i));
  }
}
