// The product of matmul_shared.wgsl for a few rows on a GPU. A workgroup computes ${ROWS} rows by ${WIDTH}
// quads of columns. Its invocations are these quads by slices of the depth: neighbours read what lies side
// by side, and what they found is added up in the end.
#include "matmul_shared.wgsl"

const WIDTH = ${WIDTH}u;
const SLICES = WG / WIDTH;
// At which eight neighbours of several rows find different banks.
const PITCH = ${PITCH}u;

var<workgroup> found: array<vec4<f32>, ${PARTS}u * PITCH>;  // [quad of a row][lane]

#main tile lane
  if (tile >= params.tiles) { return; }
  let first_row = params.row_start + ((tile / params.column_tiles) % params.row_tiles) * ${ROWS}u;
  let batch = tile / (params.column_tiles * params.row_tiles);
  let batch_row = batch * params.rows;
  let w_start = batch * params.w_batch;
  let slice = lane / WIDTH;
  let first_quad = params.column_start + (tile % params.column_tiles) * WIDTH + lane % WIDTH;
  // Rows and columns past the last are computed from the last, and not written.
#unroll c ${QUADS}
  let quad${c} = first_quad;
  let w_quad${c} = min(first_quad, params.column_quads - 1u) + ${c}u * params.column_quads;
#end
#unroll m ${ROWS}
  let x_start${m} = x_start(batch_row + min(first_row + ${m}u, params.rows - 1u));
#end
  var sums = array<vec4<f32>, ${PARTS}>();
  var k = slice;
  // Several at a time, so that many loads are under way.
  while (k + (${TOGETHER}u - 1u) * SLICES < params.depth_quads) {
#unroll j ${TOGETHER}
${STEP}
#end
    k += ${TOGETHER}u * SLICES;
  }
  while (k < params.depth_quads) {
#unroll j 1
${STEP}
#end
    k += SLICES;
  }
#unroll m ${ROWS}
#unroll c ${QUADS}
  found[(${c}u * ${ROWS}u + ${m}u) * PITCH + lane] = sums[${m}u * ${QUADS}u + ${c}u];
#end
#end
  workgroupBarrier();
  for (var half = SLICES / 2u; half > 0u; half /= 2u) {
    if (slice < half) {
#unroll p ${PARTS}
      found[${p}u * PITCH + lane] += found[${p}u * PITCH + lane + half * WIDTH];
#end
    }
    workgroupBarrier();
  }
  // From here on a slice is a row.
  if (slice >= ${ROWS}u) { return; }
  let row = first_row + slice;
#unroll c ${QUADS}
  sums[${c}] = found[(${c}u * ${ROWS}u + slice) * PITCH + lane % WIDTH];
#end
#include "matmul_scale.wgsl"
${WRITE}
}
