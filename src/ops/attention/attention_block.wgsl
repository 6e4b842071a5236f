// Softmax attention of many query rows on a GPU. A workgroup looks at 32 keys at a time for 32 rows of a
// kv head. Scores are a product like any other: heads go through workgroup memory eight quads at a time,
// and an invocation computes four rows by four keys. Then each row's largest score and sum are brought up
// to date by two invocations, and each invocation adds to four rows of the result the values of its own
// columns. So no invocation keeps a whole query.
#include "attention_shared.wgsl"

const TILE = 32u;
const CHUNKS = ${CHUNKS}u;  // of eight quads of a head
const QUADS = ${QUADS}u;
// So that eight neighbours, who read or write together, find different banks.
const PITCH = TILE + 1u;
const WEIGHTS_PITCH = 9u;

var<workgroup> queries: array<vec4<f32>, 8u * PITCH>;  // [quad of a head][row]
var<workgroup> tile: array<vec4<f32>, 8u * PITCH>;     // in turn: keys [quad][key], values [key][quad]
// Scores, then weights: [row][key % 8], and in a quad four keys that are 8 apart.
var<workgroup> weights: array<vec4<f32>, TILE * WEIGHTS_PITCH>;
var<workgroup> found: array<vec4<f32>, 2u * TILE>;  // of each row, by two: what they keep of what was, or found

fn largest(v: vec4<f32>) -> f32 { return max(max(v.x, v.y), max(v.z, v.w)); }

#main item lane
  if (item >= params.tiles) { return; }
  let row_tile = item % params.row_tiles;
  let chunk = (item / params.row_tiles) % params.chunks;
  let head_index = item / (params.row_tiles * params.chunks);
  let kv_head = head_index % params.kv_heads;
  let batch = head_index / params.kv_heads;
  let rows = params.positions * params.group;
  let first_row = row_tile * TILE;
  let kv_start = batch * params.kv_batch + kv_head * params.kv_head;
  let last_key = params.context - 1u;
  let across = lane % 8u;
  let down = lane / 8u;
#unroll i 4
  // Rows past the last are computed from the last, and not written. Of these, a quad is brought along;
  let from${i} = min(first_row + down + 8u * ${i}u, rows - 1u);
  let q_at${i} = batch * params.q_batch + (from${i} / params.group) * params.q_position + (kv_head * params.group + from${i} % params.group) * params.q_head;
  // and these are computed.
  let row${i} = min(first_row + 4u * down + ${i}u, rows - 1u);
  let position${i} = row${i} / params.group;
  let mask_at${i} = batch * params.mask_batch + (kv_head * params.group + row${i} % params.group) * params.mask_head + position${i} * params.mask_row;
  let sees${i} = min(params.causal_from + position${i} + 1u, params.context);
#end
  // Of the row whose scores this invocation weighs, half of them.
  let own_row = lane % TILE;
  let own_half = 4u * (lane / TILE);
  var most = LOWEST;
  var sum = 0.0;
  var out: array<vec4<f32>, 4u * CHUNKS>;

  // The last row sees most.
  let last_position = (min(first_row + TILE, rows) - 1u) / params.group;
  let end = min(min(params.causal_from + last_position + 1u, params.context), (chunk + 1u) * params.chunk);
  for (var start = chunk * params.chunk; start < end; start += TILE) {
    // Of the last tile's four times eight keys, only those are computed that are there.
    let eights = (min(end - start, TILE) + 7u) / 8u;
    var scores = array<vec4<f32>, 4>();
    for (var c = 0u; c < CHUNKS; c++) {
      let column = 8u * c + across;
      let inside = column < QUADS;
      let at = min(column, QUADS - 1u);
#unroll i 4
      queries[across * PITCH + down + 8u * ${i}u] = select(vec4<f32>(), vec4<f32>(q_quad(q_at${i} + at)), inside);
      tile[across * PITCH + down + 8u * ${i}u] = vec4<f32>(k_quad(kv_start + min(start + down + 8u * ${i}u, last_key) * params.kv_position + at));
#end
      workgroupBarrier();
      for (var k = 0u; k < 8u; k++) {
#unroll i 4
        let query${i} = queries[k * PITCH + 4u * down + ${i}u];
#end
#unroll j 4
        if (${j}u < eights) {
          let key = tile[k * PITCH + across + 8u * ${j}u];
#unroll i 4
          scores[${i}][${j}] = add_product(scores[${i}][${j}], query${i}, key);
#end
        }
#end
      }
      workgroupBarrier();
    }
#unroll i 4
#unroll j 4
    {
      let t = start + across + 8u * ${j}u;
      var score = scores[${i}][${j}] * params.scale;
      ${MASK}
      scores[${i}][${j}] = select(LOWEST, score, t < sees${i});
    }
#end
    weights[(4u * down + ${i}u) * WEIGHTS_PITCH + across] = scores[${i}];
#end
    workgroupBarrier();
    var highest = weights[own_row * WEIGHTS_PITCH];
#unroll g 7
    highest = max(highest, weights[own_row * WEIGHTS_PITCH + ${g}u + 1u]);
#end
    let top = max(largest(highest), most);
    let kept = exp(most - top);
    most = top;
    sum *= kept;
    workgroupBarrier();
#unroll g 4
    {
      let at = own_row * WEIGHTS_PITCH + own_half + ${g}u;
      let score = weights[at];
      // A place that is not seen must weigh nothing even if nothing has been seen yet.
      let weight = select(vec4<f32>(), exp(score - top), score > vec4<f32>(LOWEST));
      sum += dot(weight, vec4<f32>(1.0));
      weights[at] = weight;
    }
#end
    found[lane] = vec4<f32>(kept);
#unroll c ${CHUNKS}
    {
      let at = min(8u * ${c}u + across, QUADS - 1u);
#unroll i 4
      tile[${i}u * WG + lane] = vec4<f32>(v_quad(kv_start + min(start + down + 8u * ${i}u, last_key) * params.kv_position + at));
#end
      workgroupBarrier();
#unroll i 4
      out[4u * ${c}u + ${i}u] *= found[4u * down + ${i}u];
#end
      for (var g = 0u; g < 8u; g++) {
#unroll i 4
        let weight${i} = weights[(4u * down + ${i}u) * WEIGHTS_PITCH + g];
#end
#unroll j 4
        if (${j}u < eights) {
          let value = tile[(g + 8u * ${j}u) * 8u + across];
#unroll i 4
          out[4u * ${c}u + ${i}u] = fma(vec4<f32>(weight${i}[${j}]), value, out[4u * ${c}u + ${i}u]);
#end
        }
#end
      }
      workgroupBarrier();
    }
#end
  }
  found[lane] = vec4<f32>(most, sum, 0.0, 0.0);
  workgroupBarrier();
#unroll i 4
  if (first_row + 4u * down + ${i}u < rows) {
    let one = found[4u * down + ${i}u];
    let total = one.y + found[TILE + 4u * down + ${i}u].y;
    let y_at = batch * params.q_batch + position${i} * params.q_position + (kv_head * params.group + row${i} % params.group) * params.q_head;
    let partial_at = ((head_index * rows + row${i}) * params.chunks + chunk) * (QUADS + 1u);
    if (params.chunks > 1u && across == 0u) { partial_put(partial_at, vec4<f32>(one.x, total, 0.0, 0.0)); }
#unroll c ${CHUNKS}
    if (8u * ${c}u + across < QUADS) {
      if (params.chunks == 1u) {
        y_put(y_at + 8u * ${c}u + across, out[4u * ${c}u + ${i}u] / max(total, 1e-30));
      } else {
        partial_put(partial_at + 1u + 8u * ${c}u + across, out[4u * ${c}u + ${i}u]);
      }
    }
#end
  }
#end
}
