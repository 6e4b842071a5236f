// The product of q4_tile.wgsl for many rows on a GPU. A workgroup computes 32 rows by 16 quads of
// columns, each invocation 4 rows by 2 quads. Block by block, they put x and the weights, as floats,
// into workgroup memory, where every element is then used many times.
#include "q4_shared.wgsl"

const TILE_ROWS = 32u;
const TILE_COLUMNS = WG;
const LAYER_QUADS = 16u / ${LAYERS}u;

var<workgroup> x_tile: array<vec4<f32>, 8u * TILE_ROWS>;     // [quad of k][row]
var<workgroup> w_tile: array<vec4<f32>, 8u * TILE_COLUMNS>;  // [quad of k][column]

#main tile lane
  if (tile >= params.tiles) { return; }
  let tile_row = (tile / params.column_tiles) * TILE_ROWS;
  let tile_quad = (tile % params.column_tiles) * LAYER_QUADS;
  let row_quads = 8u * params.blocks;

  // Each invocation brings one column of w; rows and columns past the last are copies of the last.
  let w_layer = (lane / 4u) / LAYER_QUADS;
  let w_quad = min(tile_quad + (lane / 4u) % LAYER_QUADS, params.column_quads - 1u);
  let w_column = 4u * (w_quad + w_layer * params.column_quads) + lane % 4u;

  let my_row = 4u * (lane / 8u);
  let my_quad = lane % 8u;
  var sums: array<vec4<f32>, 8>;
  for (var block = 0u; block < params.blocks; block++) {
#unroll i 4
    {
      let i = ${i}u * WG + lane;
      let from_row = min(tile_row + i / 8u, params.rows - 1u);
      x_tile[(i % 8u) * TILE_ROWS + i / 8u] = x_quad(from_row * row_quads + 8u * block + i % 8u);
    }
#end
    let words = w_block(w_column * params.blocks + block);
    let scale_row = (block / params.blocks_per_group) * params.scale_row_quads;
    let weight = scale_at(4u * scale_row + w_column);
#unroll j 4
    w_tile[(2u * ${j}u) * TILE_COLUMNS + lane] = weight * nibbles(words[${j}], LOW);
    w_tile[(2u * ${j}u + 1u) * TILE_COLUMNS + lane] = weight * nibbles(words[${j}], HIGH);
#end
    workgroupBarrier();
    for (var k = 0u; k < 8u; k++) {
#unroll m 4
      let x${m} = x_tile[k * TILE_ROWS + my_row + ${m}u];
#end
#unroll c 2
#unroll r 4
      {
        let weights = w_tile[k * TILE_COLUMNS + 4u * (my_quad + 8u * ${c}u) + ${r}u];
#unroll m 4
        sums[${m}u * 2u + ${c}u][${r}] = add_product(sums[${m}u * 2u + ${c}u][${r}], x${m}, weights);
#end
      }
#end
#end
    }
    workgroupBarrier();
  }
  let row = tile_row + my_row;
  let first_quad = tile_quad + my_quad;
#unroll c 2
  let quad${c} = first_quad + 8u * ${c}u;
#end
${WRITE}
}
