// The product of q4_tile.wgsl for a few rows on a GPU. A workgroup computes ${ROWS} rows by four quads
// of columns. Its invocations are the four columns of a quad by slices of k: neighbours read
// neighbouring blocks, each lane one block of every quad, and what they found is added up in the end.
#include "q4_shared.wgsl"

const SLICES = WG / 4u;

var<workgroup> found: array<vec4<f32>, ${ROWS}u * WG>;

#main tile lane
  if (tile >= params.tiles) { return; }
  let first_row = (tile / params.column_tiles) * ${ROWS}u;
  let first_quad = (tile % params.column_tiles) * (4u / ${LAYERS}u);
  let column = lane / SLICES;
  let slice = lane % SLICES;
  // Rows and columns past the last are computed from the last, and not written.
#unroll c 4
  let quad${c} = first_quad + ${c}u / ${LAYERS}u;
  let column${c} = 4u * (min(quad${c}, params.column_quads - 1u) + (${c}u % ${LAYERS}u) * params.column_quads) + column;
#end
#unroll m ${ROWS}
  let x_at${m} = min(first_row + ${m}u, params.rows - 1u) * 8u * params.blocks;
  var sum${m} = vec4<f32>();
#end
  for (var block = slice; block < params.blocks; block += SLICES) {
    let scale_start = (block / params.blocks_per_group) * params.scale_row_quads * 4u;
    var scales = vec4<f32>();
#unroll c 4
    let words${c} = w_block(column${c} * params.blocks + block);
    scales[${c}] = scale_at(scale_start + column${c});
#end
#unroll m ${ROWS}
    var part${m} = vec4<f32>();
#end
#unroll j 4
#unroll c 4
    let low${c}_${j} = nibbles(words${c}[${j}], LOW);
    let high${c}_${j} = nibbles(words${c}[${j}], HIGH);
#end
#unroll m ${ROWS}
    {
      let a = x_quad(x_at${m} + 8u * block + 2u * ${j}u);
      let b = x_quad(x_at${m} + 8u * block + 2u * ${j}u + 1u);
#unroll c 4
      part${m}[${c}] = add_product(add_product(part${m}[${c}], a, low${c}_${j}), b, high${c}_${j});
#end
    }
#end
#end
#unroll m ${ROWS}
    sum${m} = fma(scales, part${m}, sum${m});
#end
  }
#unroll m ${ROWS}
  found[${m}u * WG + lane] = sum${m};
#end
  workgroupBarrier();
  for (var half = SLICES / 2u; half > 0u; half /= 2u) {
    if (slice < half) {
#unroll m ${ROWS}
      found[${m}u * WG + lane] += found[${m}u * WG + lane + half];
#end
    }
    workgroupBarrier();
  }
  if (lane >= ${ROWS}u) { return; }
  let row = first_row + lane;
  var sums: array<vec4<f32>, 4>;
#unroll c 4
  sums[${c}] = vec4<f32>(found[lane * WG][${c}], found[lane * WG + SLICES][${c}], found[lane * WG + 2u * SLICES][${c}], found[lane * WG + 3u * SLICES][${c}]);
#end
${WRITE}
}
