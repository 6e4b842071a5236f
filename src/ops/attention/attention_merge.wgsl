// Puts together what different invocations found in their chunks of the context: one invocation a
// quad of the output.
struct Params {
  quads: u32,
  head_quads: u32,
  kv_heads: u32,
  group: u32,
  positions: u32,
  chunks: u32,
  q_batch: u32,
  q_position: u32,
  q_head: u32,
}
#output y
#input partial

#main i
  if (i >= params.quads) { return; }
  let quad = i % params.head_quads;
  let row_index = i / params.head_quads;
  let rows = params.positions * params.group;
  let row = row_index % rows;
  let head_index = row_index / rows;
  let stride = params.head_quads + 1u;
  let start = row_index * params.chunks * stride;
  var most = -1e30;
  for (var c = 0u; c < params.chunks; c++) { most = max(most, partial_quad(start + c * stride).x); }
  var sum = 0.0;
  var out = vec4<f32>();
  for (var c = 0u; c < params.chunks; c++) {
    let head = partial_quad(start + c * stride);
    let weight = exp(head.x - most);
    sum += head.y * weight;
    out += partial_quad(start + c * stride + 1u + quad) * weight;
  }
  let at = (head_index / params.kv_heads) * params.q_batch + (row / params.group) * params.q_position + ((head_index % params.kv_heads) * params.group + row % params.group) * params.q_head + quad;
  y_put(at, out / max(sum, 1e-30));
}
