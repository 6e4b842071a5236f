// y = (x - mean) * scale * w + b, row by row, and mean and scale themselves; scale is one over the
// standard deviation. Four rows are whole quads of every output: one invocation takes four.
//
// The weights: row r belongs to group r % groups, whose elements take turns of `share` with each of
// its `group_weights` weights. Layer norm has one group, and shares nothing.
struct Params {
  quads: u32,
  rows: u32,
  width: u32,
  groups: u32,
  group_weights: u32,
  share: u32,
  eps: f32,
}
#output y
#output mean
#output scale
#input x
#input w
#input b
${SHARED}

#main q
  if (q >= params.quads) { return; }
  let first = 4u * q;
  let rows = min(4u, params.rows - first);
  var means = vec4<f32>();
  var spreads = vec4<f32>();
  for (var k = 0u; k < rows; k++) {
    means[k] = row_sum(first + k, 0u, 1u) / f32(params.width);
    spreads[k] = row_spread(first + k, means[k], 0u, 1u);
  }
  let scales = inverseSqrt(spreads / f32(params.width) + params.eps);
  mean_put(q, means);
  scale_put(q, scales);
  write_rows(first, rows, means, scales, 0u, 1u);
}
