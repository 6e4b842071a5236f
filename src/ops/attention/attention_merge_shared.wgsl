// What different invocations found in their chunks of the context, and where rows of the output are.
struct Params {
  items: u32,
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

// A chunk of a row has the largest score and the sum of weights, and then its quads.
const STRIDE = ${QUADS}u + 1u;

fn put(row_index: u32, quad: u32, v: vec4<f32>) {
  let rows = params.positions * params.group;
  let row = row_index % rows;
  let head_index = row_index / rows;
  let at = (head_index / params.kv_heads) * params.q_batch + (row / params.group) * params.q_position + ((head_index % params.kv_heads) * params.group + row % params.group) * params.q_head;
  y_put(at + quad, v);
}
