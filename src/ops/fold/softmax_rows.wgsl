// Softmax of the last dim. One invocation takes `rows_each` rows, as many as make whole quads, and
// walks each three times: for the largest, for the sum of exponentials, and to write.
struct Params {
  blocks: u32,
  rows_each: u32,
  rows: u32,
  width: u32,
}
#output y
#input x
${FUNCTIONS}
${SHARED}

#main b
  if (b >= params.blocks) { return; }
  let first = b * params.rows_each;
  let rows = min(params.rows_each, params.rows - first);
  var tops = vec4<f32>(LOWEST);
  var sums = vec4<f32>();
  for (var k = 0u; k < rows; k++) {
    tops[k] = row_top(first + k, 0u, 1u);
    sums[k] = row_sum(first + k, tops[k], 0u, 1u);
  }
  write_rows(first, rows, tops, scale_of(sums), 0u, 1u);
}
