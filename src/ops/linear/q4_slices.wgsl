// The product of q4_tile.wgsl for a few rows on a GPU. A workgroup computes ${ROWS} rows by ${QUADS} quads
// of columns. Its invocations are the four columns of a quad by slices of k: neighbours read
// neighbouring blocks, each lane one block of every quad, and what they found is added up in the end.
// What they see of a single row may be its norm, or what int8 shows of it, without another kernel that
// writes it first.
#include "q4_shared.wgsl"
#include "q4_bytes.wgsl"
${INT8}

const SLICES = WG / 4u;

var<workgroup> found: array<vec4<f32>, ${PARTS}u * WG>;

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
#end
  // Of each row a sum for each quad, and then, where it is to be normed, that of its squares.
  var sum: array<vec4<f32>, ${PARTS}>;
${LOOK}
  for (var block = slice; block < params.blocks; block += SLICES) {
    let scale_start = (block / params.blocks_per_group) * params.scale_row_quads * 4u;
    var scales = vec4<f32>();
#unroll c ${QUADS}
    let words${c} = w_item(column${c} * params.blocks + block);
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
      var a = vec4<f32>(x_quad(x_at${m} + 8u * block + 2u * ${j}u));
      var b = vec4<f32>(x_quad(x_at${m} + 8u * block + 2u * ${j}u + 1u));
${SEE}
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
    sum[${m}] = fma(scales, part${m} - 8.0 * dot(total${m}, vec4<f32>(1.0)), sum[${m}]);
#end
  }
#unroll p ${PARTS}
  found[${p}u * WG + lane] = sum[${p}];
#end
  workgroupBarrier();
  for (var half = SLICES / 2u; half > 0u; half /= 2u) {
    if (slice < half) {
#unroll p ${PARTS}
      found[${p}u * WG + lane] += found[${p}u * WG + lane + half];
#end
    }
    workgroupBarrier();
  }
  if (lane >= ${ROWS}u) { return; }
  let row = first_row + lane;
  let row_scale = ${ROW_SCALE};
  var sums: array<vec4<f32>, ${QUADS}>;
#unroll c ${QUADS}
  sums[${c}] = row_scale * vec4<f32>(found[lane * WG][${c}], found[lane * WG + SLICES][${c}], found[lane * WG + 2u * SLICES][${c}], found[lane * WG + 3u * SLICES][${c}]);
#end
${WRITE}
}
