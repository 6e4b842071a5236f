// y[m, n] = sum over k of x[m, k] * (q[n, k] - 8) * scale[k / group, n] (+ bias[n]) (+ residual[m, n]),
// for 4-bit q. Of two layers the first is a gate: y = silu(first) * second.
//
// For software adapters. The lanes of a subgroup compute ${ROWS} rows together, each lane ${QUADS}
// quads of columns of its own, in registers. They all need the same x: each loads a part of it and
// hands it to the others. k is walked in blocks, and within a block in steps of ${WORDS} words of 8.
// Tiles are small because sums that do not fit into registers are loaded and stored for each product.
#include "q4_shared.wgsl"

const PARTS = 2u * ${WORDS}u;  // quads of one row of x in a step

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let row = (tile / params.column_tiles) * ${ROWS}u;
  // An output that is computed by itself begins at a whole tile.
  let column_tile = tile % params.column_tiles + params.output_start[0] / (${LANES}u * ${QUADS}u);
  let first_quad = column_tile * ${LANES}u * ${QUADS}u + lane;
  // Rows and columns past the last are computed from the last, and not written.
#unroll g ${LOADS}
  let x_at${g} = min(row + (${g}u * ${LANES}u + lane) / PARTS, params.rows - 1u) * 8u * params.blocks + (${g}u * ${LANES}u + lane) % PARTS;
#end
  var gates: array<vec4<f32>, ${ROWS}u * ${QUADS}u>;
  var sums: array<vec4<f32>, ${ROWS}u * ${QUADS}u>;
  for (var layer = 0u; layer < params.layers; layer++) {
    gates = sums;
    sums = array<vec4<f32>, ${ROWS}u * ${QUADS}u>();
#unroll c ${QUADS}
    let w_quad${c} = min(first_quad + ${LANES}u * ${c}u, params.column_quads - 1u) + layer * params.column_quads;
#end
    for (var block = 0u; block < params.blocks; block++) {
      let group = block / params.blocks_per_group;
#unroll c ${QUADS}
#unroll r 4
      var words${c}_${r} = w_block(${W_AT});
#end
      let scale${c} = vec4<f32>(scale_quad(group * params.scale_row_quads + w_quad${c}));
#end
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
          let low = scale${c}[${r}] * nibbles(words${c}_${r}[${j}], LOW);
          let high = scale${c}[${r}] * nibbles(words${c}_${r}[${j}], HIGH);
#unroll m ${ROWS}
          sums[${m}u * ${QUADS}u + ${c}u][${r}] = add_product(add_product(sums[${m}u * ${QUADS}u + ${c}u][${r}], xs[${m}u * PARTS + 2u * ${j}u], low), xs[${m}u * PARTS + 2u * ${j}u + 1u], high);
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
    }
  }
  // One store for all of them: a compiler takes as long for each as for hundreds of products.
  for (var i = 0u; i < ${ROWS}u * ${QUADS}u; i++) {
    var v = sums[0];
    var gate = gates[0];
#unroll i ${SUMS}
    v = select(v, sums[${i}u], i == ${i}u);
    gate = select(gate, gates[${i}u], i == ${i}u);
#end
    let at_row = row + i / ${QUADS}u;
    let quad = first_quad + ${LANES}u * (i % ${QUADS}u);
    if (at_row >= params.rows || quad >= params.column_quads) { continue; }
    v += ${BIAS};
    if (params.layers == 2u) { v *= gate / (1.0 + exp(-gate)); }
    if (params.has_residual != 0u) { v += vec4<f32>(residual_quad(at_row * params.column_quads + quad)); }
    put(at_row, quad, v);
  }
}
