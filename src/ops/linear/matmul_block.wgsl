// The product of matmul_shared.wgsl for many rows on a GPU. A workgroup computes ${ROWS} rows by 16 quads of
// columns, each invocation ${WRITE_ROWS} rows by one quad. Eight quads of the depth at a time, they put x and
// w into workgroup memory, where every element is then used many times.
#include "matmul_shared.wgsl"

const TILE_ROWS = ${ROWS}u;
const LAYER_QUADS = 16u / ${LAYERS}u;

// Pitches at which eight neighbours, who read or write together, find different banks.
const X_PITCH = TILE_ROWS + 1u;
const W_PITCH = 65u;

var<workgroup> x_tile: array<vec4<f32>, 8u * X_PITCH>;  // [quad of k][row]
var<workgroup> w_tile: array<vec4<f32>, 8u * W_PITCH>;  // [quad of k][column or k of a quad][quad]

#main tile lane
  if (tile >= params.tiles) { return; }
  let tile_row = params.row_start + ((tile / params.column_tiles) % params.row_tiles) * TILE_ROWS;
  let batch = tile / (params.column_tiles * params.row_tiles);
  let batch_row = batch * params.rows;
  let w_start = batch * params.w_batch;
  let tile_quad = params.column_start + (tile % params.column_tiles) * LAYER_QUADS;
  let last_k = params.depth_quads - 1u;

  let my_row = ${WRITE_ROWS}u * (lane / 16u);
  let my_quad = lane % 16u;
  var sums = array<vec4<f32>, ${WRITE_ROWS}u * ${LAYERS}u>();
  for (var start = 0u; start < params.depth_quads; start += 8u) {
    // What is past the last row, column or quad of the depth is a copy of the last.
#unroll i ${X_LOADS}
    {
      let i = ${i}u * WG + lane;
      let from_row = batch_row + min(tile_row + i / 8u, params.rows - 1u);
      if (i < 8u * TILE_ROWS) { x_tile[(i % 8u) * X_PITCH + i / 8u] = x_along(x_start(from_row), min(start + i % 8u, last_k)); }
    }
#end
#unroll i 8
    {
${W_ITEM}
      let from_quad = min(tile_quad + quad % LAYER_QUADS, params.column_quads - 1u) + (quad / LAYER_QUADS) * params.column_quads;
      w_tile[k * W_PITCH + r * 16u + quad] = ${W}(w_start, from_quad, min(start + k, last_k), r);
    }
#end
    workgroupBarrier();
    let steps = min(params.depth_quads - start, 8u);
    for (var k = 0u; k < steps; k++) {
#unroll r 4
      let w${r} = w_tile[k * W_PITCH + ${r}u * 16u + my_quad];
#end
#unroll m ${WRITE_ROWS}
      {
        let x = x_tile[k * X_PITCH + my_row + ${m}u];
        sums[${m}u * ${LAYERS}u] = ${ADD}(sums[${m}u * ${LAYERS}u], x, w0, w1, w2, w3);
      }
#end
    }
    workgroupBarrier();
  }
  let row = tile_row + my_row;
  let quad0 = tile_quad + my_quad % LAYER_QUADS;
  let w_quad0 = min(quad0, params.column_quads - 1u) + (my_quad / LAYER_QUADS) * params.column_quads;
  // Of a gate and what it lets through, those that have the gate write.
  let first_quad = select(params.column_quads, quad0, my_quad < LAYER_QUADS);
#include "matmul_scale.wgsl"
${EXCHANGE}
${WRITE}
}
