// The merge on a GPU: a workgroup puts together ${WIDTH} quads of a row of the output. Its invocations
// are these quads by every ${SUBS}th chunk.
#include "attention_merge_shared.wgsl"

var<workgroup> stats: array<vec2<f32>, WG>;  // the largest score and the sum that an invocation found
var<workgroup> parts: array<vec4<f32>, WG>;

#main item lane
  if (item >= params.items) { return; }
  let row_index = item / ${PIECES}u;
  let quad = (item % ${PIECES}u) * ${WIDTH}u + lane % ${WIDTH}u;
  let start = row_index * params.chunks * STRIDE;
  var most = -1e30;
  var sum = 0.0;
  var out = vec4<f32>();
  for (var c = lane / ${WIDTH}u; c < params.chunks; c += ${SUBS}u) {
    let head = partial_quad(start + c * STRIDE);
    let top = max(most, head.x);
    let keep = exp(most - top);
    let weight = exp(head.x - top);
    sum = sum * keep + head.y * weight;
    out = out * keep + partial_quad(start + c * STRIDE + 1u + min(quad, ${QUADS}u - 1u)) * weight;
    most = top;
  }
  stats[lane] = vec2<f32>(most, sum);
  parts[lane] = out;
  workgroupBarrier();
  if (lane >= ${WIDTH}u || quad >= ${QUADS}u) { return; }
  for (var s = 1u; s < ${SUBS}u; s++) { most = max(most, stats[s * ${WIDTH}u + lane].x); }
  sum = 0.0;
  out = vec4<f32>();
  for (var s = 0u; s < ${SUBS}u; s++) {
    let found = stats[s * ${WIDTH}u + lane];
    let weight = exp(found.x - most);
    sum += found.y * weight;
    out += parts[s * ${WIDTH}u + lane] * weight;
  }
  put(row_index, quad, out / max(sum, 1e-30));
}
