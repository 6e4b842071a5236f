// The same for every size: four outputs an invocation, one by one.
struct Params {
  quads: u32,
  numel: u32,
  rows: u32,
  columns: u32,
  depth: u32,
  w_batch: u32,
  w_column: u32,
  w_depth: u32,
  bias_row: u32,
  bias_column: u32,
  alpha: f32,
  beta: f32,
}
#output y
#input x
#input w
#input bias

#main q
  if (q >= params.quads) { return; }
  var result = vec4<f32>();
  for (var lane = 0u; lane < 4u; lane++) {
    let i = min(4u * q + lane, params.numel - 1u);
    let column = i % params.columns;
    let row = (i / params.columns) % params.rows;
    let batch = i / (params.columns * params.rows);
    let x_start = (batch * params.rows + row) * params.depth;
    let w_start = batch * params.w_batch + column * params.w_column;
    var sum = 0.0;
    for (var k = 0u; k < params.depth; k++) { sum += x_at(x_start + k) * w_at(w_start + k * params.w_depth); }
    result[lane] = params.alpha * sum;
    if (params.beta != 0.0) { result[lane] += params.beta * bias_at(row * params.bias_row + column * params.bias_column); }
  }
  y_put(q, result);
}
