// y = alpha * x w + beta * bias for f32 or f16 weights.
//
// The lanes of a subgroup compute ${ROWS} rows together, each lane ${QUADS} quads of columns of its
// own, in registers. They all need the same x: each loads a part of it and hands it to the others.
// k is walked in steps of ${STEP} quads, of which the last step may have fewer. What stands for OPERANDS
// says how quads of x, w and y are reached, which need not be whole ones in memory.
struct Params {
  tiles: u32,
  row_start: u32,       // those before are for other tiles
  row_tiles: u32,
  rows: u32,
  column_start: u32,    // in quads
  column_tiles: u32,
  columns: u32,
  column_quads: u32,    // of one layer, if ${LAYERS} are read together
  depth: u32,
  depth_quads: u32,
  w_batch: u32,         // where the next batch begins, as w_start counts; 0: all batches share w
  bias_row: u32,        // strides in elements; both 0: one number
  bias_column: u32,
  alpha: f32,
  beta: f32,            // 0: no bias
  p: f32,               // of the epilogue
  q: f32,
  output_start: vec4<u32>,
  output_end: vec4<u32>,
}
${OPERANDS}
alias T = f32;
${EPILOGUE}
#include "add_product.wgsl"

// Weights of one column each, or of one k each.
fn add_by_column(sum: vec4<f32>, a: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
  return vec4<f32>(add_product(sum.x, a, w0), add_product(sum.y, a, w1), add_product(sum.z, a, w2), add_product(sum.w, a, w3));
}
fn add_by_depth(sum: vec4<f32>, a: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
  return fma(a.wwww, w3, fma(a.zzzz, w2, fma(a.yyyy, w1, fma(a.xxxx, w0, sum))));
}

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let row = params.row_start + ((tile / params.column_tiles) % params.row_tiles) * ${ROWS}u;
  let batch = tile / (params.column_tiles * params.row_tiles);
  let batch_row = batch * params.rows;
  let w_start = batch * params.w_batch;
  let first_quad = params.column_start + (tile % params.column_tiles) * (${LANES}u * ${QUADS}u / ${LAYERS}u) + lane;
  // Rows and columns past the last are computed from the last, and not written.
#unroll c ${QUADS}
  let quad${c} = first_quad + ${LANES}u * (${c}u / ${LAYERS}u);
  let w_quad${c} = min(quad${c}, params.column_quads - 1u) + (${c}u % ${LAYERS}u) * params.column_quads;
#end
#unroll g ${LOADS}
  let x_start${g} = x_start(batch_row + min(row + (${g}u * ${LANES}u + lane) / ${STEP}u, params.rows - 1u));
  let x_part${g} = (${g}u * ${LANES}u + lane) % ${STEP}u;
#end
  var sums = array<vec4<f32>, ${ROWS}u * ${QUADS}u>();
  for (var k = 0u; k < params.depth_quads; k += ${STEP}u) {
    var xs = array<vec4<f32>, ${ROWS}u * ${STEP}u>();
#unroll g ${LOADS}
    let mine${g} = x_along(x_start${g}, min(k + x_part${g}, params.depth_quads - 1u));
#unroll l ${LANES}
    xs[${g}u * ${LANES}u + ${l}u] = ${FROM_LANE};
#end
#end
#unroll j ${STEP}
    ${WHEN_INSIDE} {
#unroll c ${QUADS}
      {
#unroll r 4
        let w${r} = ${W}(w_start, w_quad${c}, k + ${j}u, ${r}u);
#end
#unroll m ${ROWS}
        sums[${m}u * ${QUADS}u + ${c}u] = ${ADD}(sums[${m}u * ${QUADS}u + ${c}u], xs[${m}u * ${STEP}u + ${j}u], w0, w1, w2, w3);
#end
      }
#end
    }
#end
  }
#unroll c ${QUADS}
#unroll m ${ROWS}
  sums[${m}u * ${QUADS}u + ${c}u] *= params.alpha;
#end
#end
  if (params.beta != 0.0) {
#unroll c ${QUADS}
    {
      var b = params.beta * bias_along(0u, w_quad${c});
#unroll m ${ROWS}
${NEXT_BIAS}
      sums[${m}u * ${QUADS}u + ${c}u] += b;
#end
    }
#end
  }
  // One store for all of them: a compiler takes as long for each as for hundreds of products.
  for (var i = 0u; i < ${ROWS}u * ${QUADS}u / ${LAYERS}u; i++) {
    var gate = sums[0];
    var v = sums[0];
#unroll i ${SUMS}
    gate = select(gate, sums[${i}u], i * ${LAYERS}u == ${i}u);
    v = select(v, sums[${i}u], (i + 1u) * ${LAYERS}u - 1u == ${i}u);
#end
    let at_row = row + i / (${QUADS}u / ${LAYERS}u);
    let quad = first_quad + ${LANES}u * (i % (${QUADS}u / ${LAYERS}u));
    if (at_row >= params.rows || quad >= params.column_quads) { continue; }
    put(batch_row + at_row, quad, ${RESULT});
  }
}
