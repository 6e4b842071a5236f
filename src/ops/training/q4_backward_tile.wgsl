// y[m, k] = sum over n of d[m, n] * (q[n, k] - 8) * scale[k / group, n], for 4-bit q.
//
// One invocation computes ${ROWS} rows by the eight columns whose weights are in one word. Neighbours
// read neighbouring words, and the same d and scales. Needs whole quads along n, and groups of whole
// words.
struct Params {
  tiles: u32,
  rows: u32,
  row_words: u32,        // of y, and of w
  depth_quads: u32,
  group_words: u32,
  scale_row_quads: u32,
}
#output y
#input d
#input w : u32
#input scale

#main tile
  if (tile >= params.tiles) { return; }
  let column = tile % params.row_words;
  let row = tile / params.row_words * ${ROWS}u;
  let scale_start = column / params.group_words * params.scale_row_quads;
  // Rows past the last are computed from the last, and not written.
#unroll m ${ROWS}
  let d_start${m} = min(row + ${m}u, params.rows - 1u) * params.depth_quads;
  var low${m} = vec4<f32>();
  var high${m} = vec4<f32>();
#end
  for (var n = 0u; n < params.depth_quads; n++) {
    let scales = scale_quad(scale_start + n);
#unroll m ${ROWS}
    let d${m} = d_quad(d_start${m} + n) * scales;
#end
#unroll r 4
    {
      let word = vec4<u32>(w_item((4u * n + ${r}u) * params.row_words + column));
      let low = vec4<f32>((word >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(15u)) - 8.0;
      let high = vec4<f32>((word >> vec4<u32>(16u, 20u, 24u, 28u)) & vec4<u32>(15u)) - 8.0;
#unroll m ${ROWS}
      low${m} = fma(vec4<f32>(d${m}[${r}]), low, low${m});
      high${m} = fma(vec4<f32>(d${m}[${r}]), high, high${m});
#end
    }
#end
  }
#unroll m ${ROWS}
  if (row + ${m}u < params.rows) {
    let at = 2u * ((row + ${m}u) * params.row_words + column);
    y_put(at, low${m});
    y_put(at + 1u, high${m});
  }
#end
}
