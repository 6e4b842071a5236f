// y = alpha * x w + beta * bias for f32 or f16 weights.
//
// The lanes of a subgroup compute ${ROWS} rows together, each lane ${QUADS} quads of columns of its
// own, in registers. They all need the same x: each loads a part of it and hands it to the others.
// k is walked in steps of ${STEP} quads, of which the last step may have fewer.
#include "matmul_shared.wgsl"

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
#include "matmul_scale.wgsl"
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
