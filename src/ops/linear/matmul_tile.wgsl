// y = alpha * x w + beta * bias for f32 or f16 weights. One invocation computes ${ROWS} rows by one
// quad of columns in registers, four steps of k at a time. Needs whole quads along k and n.
struct Params {
  tiles: u32,
  row_tiles: u32,
  rows: u32,
  column_quads: u32,
  depth_quads: u32,
  w_batch_quads: u32,   // 0: all batches share w
  bias_row: u32,        // strides in elements; both 0: one number
  bias_column: u32,
  alpha: f32,
  beta: f32,            // 0: no bias
}
#output y
#input x
#input w
#input bias

#main tile
  if (tile >= params.tiles) { return; }
  let column_quad = tile % params.column_quads;
  let row_tile = (tile / params.column_quads) % params.row_tiles;
  let batch = tile / (params.column_quads * params.row_tiles);
  let row = row_tile * ${ROWS}u;
  let w_start = batch * params.w_batch_quads;
#unroll m ${ROWS}
  // Rows past the last are computed from the last, and not written.
  let x_row${m} = (batch * params.rows + min(row + ${m}u, params.rows - 1u)) * params.depth_quads;
  var sum${m} = vec4<f32>();
#end
  for (var k = 0u; k < params.depth_quads; k++) {
#unroll j 4
    let w${j} = w_quad(w_start + ${W_AT});
#end
#unroll m ${ROWS}
    {
      let a = x_quad(x_row${m} + k);
      sum${m} += ${PRODUCT};
    }
#end
  }
#unroll m ${ROWS}
  if (row + ${m}u < params.rows) {
    var result = params.alpha * sum${m};
    if (params.beta != 0.0) {
      let at = (row + ${m}u) * params.bias_row + 4u * column_quad * params.bias_column;
      var b = vec4<f32>(f32(bias_at(at)));
      if (params.bias_column != 0u) { b = vec4<f32>(bias_quad(at >> 2u)); }
      result += params.beta * b;
    }
    y_put((batch * params.rows + row + ${m}u) * params.column_quads + column_quad, result);
  }
#end
}
