// The product of q4_tile.wgsl for many rows on a GPU. A workgroup computes ${ROWS} rows by 16 quads of
// columns, each invocation ${WRITE_ROWS} rows by one quad. Block by block, they put x and the weights, as
// floats, into workgroup memory, where every element is then used many times.
#include "q4_shared.wgsl"
#include "q4_bytes.wgsl"

const TILE_ROWS = ${ROWS}u;
const LAYER_QUADS = 16u / ${LAYERS}u;

// Pitches at which eight neighbours, who read or write together, find different banks: a row of x lies
// in a column of its tile, and the four columns of a quad of w lie 18 apart.
const X_PITCH = TILE_ROWS + 1u;
const W_COLUMN = 18u;
const W_PITCH = 4u * W_COLUMN;

var<workgroup> x_tile: array<vec4<f32>, 8u * X_PITCH>;  // [quad of k][row]
var<workgroup> w_tile: array<vec4<f32>, 8u * W_PITCH>;  // [quad of k][column % 4][column / 4]

#main tile lane
  if (tile >= params.tiles) { return; }
  let tile_row = (tile / params.column_tiles) * TILE_ROWS;
  let tile_quad = (tile % params.column_tiles) * LAYER_QUADS;
  let row_quads = 8u * params.blocks;

  // Each invocation brings one column of w; rows and columns past the last are copies of the last.
  let w_layer = (lane / 4u) / LAYER_QUADS;
  let w_quad = min(tile_quad + (lane / 4u) % LAYER_QUADS, params.column_quads - 1u);
  let w_column = 4u * (w_quad + w_layer * params.column_quads) + lane % 4u;
  let w_place = (lane % 4u) * W_COLUMN + lane / 4u;

  let my_row = ${WRITE_ROWS}u * (lane / 16u);
  let my_quad = lane % 16u;
  var sums: array<vec4<f32>, ${WRITE_ROWS}u * ${LAYERS}u>;
  for (var block = 0u; block < params.blocks; block++) {
#unroll i ${X_LOADS}
    {
      let i = ${i}u * WG + lane;
      let from_row = min(tile_row + i / 8u, params.rows - 1u);
      if (i < 8u * TILE_ROWS) { x_tile[(i % 8u) * X_PITCH + i / 8u] = x_quad(from_row * row_quads + 8u * block + i % 8u); }
    }
#end
    let words = w_item(w_column * params.blocks + block);
    let scale_row = (block / params.blocks_per_group) * params.scale_row_quads;
    let weight = scale_at(4u * scale_row + w_column);
#unroll j 4
    {
      let even = weight * (even_nibbles(words[${j}]) - 8.0);
      let odd = weight * (odd_nibbles(words[${j}]) - 8.0);
      w_tile[(2u * ${j}u) * W_PITCH + w_place] = vec4<f32>(even.x, odd.x, even.y, odd.y);
      w_tile[(2u * ${j}u + 1u) * W_PITCH + w_place] = vec4<f32>(even.z, odd.z, even.w, odd.w);
    }
#end
    workgroupBarrier();
    for (var k = 0u; k < 8u; k++) {
#unroll r 4
      let w${r} = w_tile[k * W_PITCH + ${r}u * W_COLUMN + my_quad];
#end
#unroll m ${WRITE_ROWS}
      {
        let x = x_tile[k * X_PITCH + my_row + ${m}u];
#unroll r 4
        sums[${m}u * ${LAYERS}u][${r}] = add_product(sums[${m}u * ${LAYERS}u][${r}], x, w${r});
#end
      }
#end
    }
    workgroupBarrier();
  }
  let row = tile_row + my_row;
  let first_quad = ${FIRST_QUAD};
  let quad0 = first_quad;
${EXCHANGE}
${WRITE}
}
