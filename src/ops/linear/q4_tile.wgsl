// y[m, n] = sum over k of x[m, k] * (q[n, k] - 8) * scale[k / group, n] (+ bias[n]), for 4-bit q.
// One invocation computes ${ROWS} rows by ${QUADS} quads of columns in registers, walking k in
// blocks of 32 weights, which are one vec4<u32> of each column. Needs whole blocks, whole quads of
// columns, and groups of whole blocks. The columns of up to three layers with the same input may
// stand side by side in w; each has an output of its own.
struct Params {
  tiles: u32,
  rows: u32,
  column_tiles: u32,
  column_quads: u32,
  blocks: u32,
  blocks_per_group: u32,
  scale_row_quads: u32,
  has_bias: u32,
  output_start: vec4<u32>,
  output_end: vec4<u32>,
}
#unroll o ${OUTPUTS}
#output y${o}
#end
#input x
#input w : vec4<u32>
#input scale
#input bias

// Where each of eight nibbles lies in its word.
const LOW = vec4<u32>(${LOW_SHIFTS});
const HIGH = vec4<u32>(${HIGH_SHIFTS});

fn nibbles(word: u32, shifts: vec4<u32>) -> vec4<f32> {
  // Through i32: a CPU converts signed integers in one instruction.
  return vec4<f32>(bitcast<vec4<i32>>((vec4<u32>(word) >> shifts) & vec4<u32>(15u)));
}

fn put(row: u32, quad: u32, v: vec4<f32>) {
#unroll o ${OUTPUTS}
  if (quad < params.output_end[${o}]) {
    let width = params.output_end[${o}] - params.output_start[${o}];
    y${o}_put(row * width + quad - params.output_start[${o}], v);
    return;
  }
#end
}

#main tile
  if (tile >= params.tiles) { return; }
  let column_quad = (tile % params.column_tiles) * ${QUADS_APART};
  let row = (tile / params.column_tiles) * ${ROWS}u;
#unroll c ${QUADS}
  let quad${c} = column_quad + ${c}u * ${QUAD_STRIDE};
#end
  let row_quads = 8u * params.blocks;
#unroll m ${ROWS}
  // Rows past the last are computed from the last, and not written.
  let x_row${m} = min(row + ${m}u, params.rows - 1u) * row_quads;
#unroll c ${QUADS}
  var sum${m}_${c} = vec4<f32>();
#end
#end
  for (var block = 0u; block < params.blocks; block++) {
#unroll m ${ROWS}
    var x_sum${m} = vec4<f32>();
#end
#unroll c ${QUADS}
    let w_at${c} = quad${c} * 4u * params.blocks + block;
    let words${c}_0 = w[w_at${c}];
    let words${c}_1 = w[w_at${c} + params.blocks];
    let words${c}_2 = w[w_at${c} + 2u * params.blocks];
    let words${c}_3 = w[w_at${c} + 3u * params.blocks];
#unroll m ${ROWS}
    var part${m}_${c} = vec4<f32>();
#end
#end
#unroll j 4
#unroll m ${ROWS}
    let x_low${m}_${j} = x_quad(x_row${m} + 8u * block + 2u * ${j}u);
    let x_high${m}_${j} = x_quad(x_row${m} + 8u * block + 2u * ${j}u + 1u);
    x_sum${m} += x_low${m}_${j} + x_high${m}_${j};
#end
#unroll c ${QUADS}
#unroll r 4
    {
      let low = nibbles(words${c}_${r}[${j}], LOW);
      let high = nibbles(words${c}_${r}[${j}], HIGH);
#unroll m ${ROWS}
      part${m}_${c}[${r}] += dot(x_low${m}_${j}, low) + dot(x_high${m}_${j}, high);
#end
    }
#end
#end
#end
    let group = block / params.blocks_per_group;
#unroll m ${ROWS}
    let offset${m} = 8.0 * dot(x_sum${m}, vec4<f32>(1.0));
#end
#unroll c ${QUADS}
    let scale${c} = scale_quad(group * params.scale_row_quads + quad${c});
#unroll m ${ROWS}
    sum${m}_${c} += scale${c} * (part${m}_${c} - offset${m});
#end
#end
  }
#include WRITE
}
