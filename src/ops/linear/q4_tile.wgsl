// y[m, n] = sum over k of x[m, k] * (q[n, k] - 8) * scale[k / group, n] (+ bias[n]), for 4-bit q.
//
// For software adapters. The lanes of a subgroup compute ${ROWS} rows together, each lane ${QUADS}
// quads of columns of its own, in registers. They all need the same x: each loads a part of it and
// hands it to the others. k is walked in blocks, and within a block in steps of ${WORDS} words of 8.
#include "q4_shared.wgsl"

const TILE_QUADS = ${LANES}u * ${QUADS}u / ${LAYERS}u;  // of columns of one layer
const PARTS = 2u * ${WORDS}u;  // quads of one row of x in a step

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let row = (tile / params.column_tiles) * ${ROWS}u;
  // An output that is computed by itself begins at a whole tile.
  let column_tile = tile % params.column_tiles + params.output_start[0] / TILE_QUADS;
  let first_quad = column_tile * TILE_QUADS + lane;
  // Rows and columns past the last are computed from the last, and not written.
#unroll c ${QUADS}
  let quad${c} = first_quad + ${LANES}u * (${c}u / ${LAYERS}u);
  let w_quad${c} = min(quad${c}, params.column_quads - 1u) + (${c}u % ${LAYERS}u) * params.column_quads;
#end
#unroll g ${LOADS}
  let x_at${g} = min(row + (${g}u * ${LANES}u + lane) / PARTS, params.rows - 1u) * 8u * params.blocks + (${g}u * ${LANES}u + lane) % PARTS;
#end
  var sums: array<vec4<f32>, ${ROWS}u * ${QUADS}u>;
  for (var block = 0u; block < params.blocks; block++) {
#unroll c ${QUADS}
#unroll r 4
    var words${c}_${r} = w_block(${W_AT});
#end
#end
    var parts = array<vec4<f32>, ${ROWS}u * ${QUADS}u>();
    for (var word = 0u; word < 4u; word += ${WORDS}u) {
      var xs: array<vec4<f32>, ${ROWS}u * PARTS>;
#unroll g ${LOADS}
      let mine${g} = x_quad(x_at${g} + 8u * block + 2u * word);
#unroll l ${LANES}
      xs[${g}u * ${LANES}u + ${l}u] = ${FROM_LANE};
#end
#end
#unroll j ${WORDS}
#unroll c ${QUADS}
#unroll r 4
      {
        let low = nibbles(words${c}_${r}[${j}], LOW);
        let high = nibbles(words${c}_${r}[${j}], HIGH);
#unroll m ${ROWS}
        parts[${m}u * ${QUADS}u + ${c}u][${r}] = add_product(add_product(parts[${m}u * ${QUADS}u + ${c}u][${r}], xs[${m}u * PARTS + 2u * ${j}u], low), xs[${m}u * PARTS + 2u * ${j}u + 1u], high);
#end
      }
#end
#end
#end
      // The next step finds its word in front.
#unroll c ${QUADS}
#unroll r 4
      words${c}_${r} = words${c}_${r}.yzwx;
#end
#end
    }
    let group = block / params.blocks_per_group;
#unroll c ${QUADS}
    let scale${c} = vec4<f32>(scale_quad(group * params.scale_row_quads + w_quad${c}));
#unroll m ${ROWS}
    sums[${m}u * ${QUADS}u + ${c}u] = fma(scale${c}, parts[${m}u * ${QUADS}u + ${c}u], sums[${m}u * ${QUADS}u + ${c}u]);
#end
#end
  }
${WRITE}
}
