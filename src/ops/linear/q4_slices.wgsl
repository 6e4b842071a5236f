// The product of q4_tile.wgsl for a few rows on a GPU. A workgroup computes ${ROWS} rows by ${QUADS} quads
// of columns. Its invocations are the four columns of a quad by slices of k: neighbours read
// neighbouring blocks, each lane one block of every quad, and what they found is added up in the end.
#include "q4_shared.wgsl"
#include "q4_bytes.wgsl"

const SLICES = WG / 4u;

var<workgroup> found: array<vec4<f32>, ${ROWS}u * WG>;

#main tile lane
  if (tile >= params.tiles) { return; }
  let first_row = (tile / params.column_tiles) * ${ROWS}u;
  let first_quad = (tile % params.column_tiles) * (${QUADS}u / ${LAYERS}u);
  let column = lane / SLICES;
  let slice = lane % SLICES;
  // Rows and columns past the last are computed from the last, and not written.
#unroll c ${QUADS}
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
#unroll c ${QUADS}
    let words${c} = w_texel(column${c} * params.blocks + block);
    scales[${c}] = scale_at(scale_start + column${c});
#end
#unroll m ${ROWS}
    var part${m} = vec4<f32>();
    var total${m} = vec4<f32>();
#end
#unroll j 4
#unroll c ${QUADS}
    let even${c}_${j} = even_nibbles(words${c}[${j}]);
    let odd${c}_${j} = odd_nibbles(words${c}[${j}]);
#end
#unroll m ${ROWS}
    {
      let a = x_quad(x_at${m} + 8u * block + 2u * ${j}u);
      let b = x_quad(x_at${m} + 8u * block + 2u * ${j}u + 1u);
      let even_x = vec4<f32>(a.xz, b.xz);
      let odd_x = vec4<f32>(a.yw, b.yw);
      total${m} += a + b;
#unroll c ${QUADS}
      part${m}[${c}] = add_product(add_product(part${m}[${c}], even_x, even${c}_${j}), odd_x, odd${c}_${j});
#end
    }
#end
#end
#unroll m ${ROWS}
    // A nibble stands for its value less 8.
    sum${m} = fma(scales, part${m} - 8.0 * dot(total${m}, vec4<f32>(1.0)), sum${m});
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
  var sums: array<vec4<f32>, ${QUADS}>;
#unroll c ${QUADS}
  sums[${c}] = vec4<f32>(found[lane * WG][${c}], found[lane * WG + SLICES][${c}], found[lane * WG + 2u * SLICES][${c}], found[lane * WG + 3u * SLICES][${c}]);
#end
${WRITE}
}
