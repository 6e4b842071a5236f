// Puts together what different invocations found in their chunks of the context: one invocation a
// quad of the output.
#include "attention_merge_shared.wgsl"

#main i
  if (i >= params.items) { return; }
  let quad = i % ${QUADS}u;
  let row_index = i / ${QUADS}u;
  let start = row_index * params.chunks * STRIDE;
  var most = -1e30;
  for (var c = 0u; c < params.chunks; c++) { most = max(most, partial_quad(start + c * STRIDE).x); }
  var sum = 0.0;
  var out = vec4<f32>();
  for (var c = 0u; c < params.chunks; c++) {
    let head = partial_quad(start + c * STRIDE);
    let weight = exp(head.x - most);
    sum += head.y * weight;
    out += partial_quad(start + c * STRIDE + 1u + quad) * weight;
  }
  put(row_index, quad, out / max(sum, 1e-30));
}
