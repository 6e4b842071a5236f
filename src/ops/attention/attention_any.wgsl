// Softmax attention for any head dim: an invocation computes four elements of the output, each by a
// walk over the context of its own. For what the tiles cannot take.
struct Params {
  quads: u32,
  numel: u32,
  head_dim: u32,
  q_heads: u32,
  group: u32,
  positions: u32,
  context: u32,
  causal_from: u32,
  heads_inside: u32,    // 1: heads vary faster than positions
  q_batch: u32,         // strides in elements
  q_position: u32,
  q_head: u32,
  kv_batch: u32,
  kv_position: u32,
  kv_head: u32,
  mask_batch: u32,
  mask_head: u32,
  mask_row: u32,
  scale: f32,
}
#output y
#input q
#input k
#input v
#input mask

const LOWEST = -1e30;

fn element(i: u32) -> f32 {
  let d = i % params.head_dim;
  var rest = i / params.head_dim;
  var head = rest % params.q_heads;
  var position = (rest / params.q_heads) % params.positions;
  if (params.heads_inside == 0u) {
    position = rest % params.positions;
    head = (rest / params.positions) % params.q_heads;
  }
  let batch = rest / (params.q_heads * params.positions);
  let q_row = batch * params.q_batch + position * params.q_position + head * params.q_head;
  let kv_start = batch * params.kv_batch + (head / params.group) * params.kv_head;
  let mask_start = batch * params.mask_batch + head * params.mask_head + position * params.mask_row;
  let end = min(params.causal_from + position + 1u, params.context);
  var most = LOWEST;
  var sum = 0.0;
  var result = 0.0;
  for (var t = 0u; t < end; t++) {
    let kv_row = kv_start + t * params.kv_position;
    var score = 0.0;
    // Eight at a time: Mesa's software adapter counts the rounds of an invocation.
    for (var start = 0u; start < params.head_dim; start += 8u) {
#unroll j 8
      if (start + ${j}u < params.head_dim) { score += q_at(q_row + start + ${j}u) * k_at(kv_row + start + ${j}u); }
#end
    }
    score *= params.scale;
    ${MASK}
    if (score <= LOWEST) { continue; }
    let top = max(most, score);
    let keep = exp(most - top);
    let weight = exp(score - top);
    sum = sum * keep + weight;
    result = result * keep + weight * v_at(kv_row + d);
    most = top;
  }
  return result / max(sum, 1e-30);
}

#main i
  if (i >= params.quads) { return; }
  var result = vec4<f32>();
  for (var e = 0u; e < 4u; e++) { result[e] = element(min(4u * i + e, params.numel - 1u)); }
  y_put(i, result);
}
