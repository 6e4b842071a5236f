// Softmax attention of a few query rows on a GPU. A workgroup looks at one chunk of the context for up
// to ${ROWS} rows of a kv head, so that each key and value is loaded once for all of them.
//
// Keys go through workgroup memory, ${KEYS} at a time, so that neighbours load what lies side by side;
// ${PARTS} invocations share a key. Then each invocation has the scores of one key, of all rows. Values
// are loaded straight: an invocation has a quad of them, and walks every ${SUBS}th.
#include "attention_shared.wgsl"
#over_lanes top vec4<f32> max(a, b)
#over_lanes sum vec4<f32> a + b

// So that eight neighbours find their quads of keys in different banks.
const PITCH = ${PITCH}u;
const SUMS_PITCH = ${KEYS}u + 8u / ${PARTS}u;
const PADDED = ${PADDED}u;  // quads of a query or key, with zeros behind the last

var<workgroup> queries: array<vec4<f32>, ${ROWS}u * PADDED>;
// In turn: keys, sums of their parts, weights of values, parts of the result.
var<workgroup> tile: array<vec4<f32>, ${TILE}>;
var<workgroup> found: array<vec2<f32>, ${ROWS}>;  // of each row: the largest score, and the sum

struct Place {
  batch: u32,
  kv_head: u32,
}

fn q_start(row: u32, place: Place) -> u32 {
  return place.batch * params.q_batch + (row / params.group) * params.q_position + (place.kv_head * params.group + row % params.group) * params.q_head;
}

#main item lane
  if (item >= params.tiles) { return; }
  let chunk = (item / params.row_tiles) % params.chunks;
  let head_index = item / (params.row_tiles * params.chunks);
  let place = Place(head_index / params.kv_heads, head_index % params.kv_heads);
  let rows = params.positions * params.group;
  let first_row = (item % params.row_tiles) * ${ROWS}u;
  let kv_start = place.batch * params.kv_batch + place.kv_head * params.kv_head;
  let first = chunk * params.chunk;
  let last_key = params.context - 1u;

  // Rows past the last are computed from the last, and not written.
  for (var i = lane; i < ${ROWS}u * ${PADDED}u; i += WG) {
    let row = min(first_row + i / PADDED, rows - 1u);
    let column = i % PADDED;
    let query = q_quad(q_start(row, place) + min(column, ${QUADS}u - 1u)) * params.scale;
    queries[i] = select(vec4<f32>(), query, column < ${QUADS}u);
  }

  let part = lane % ${PARTS}u;
  let key = lane / ${PARTS}u;
  var scores: array<vec4<f32>, ${ROW_QUADS}>;
  for (var start = 0u; start < params.chunk; start += ${KEYS}u) {
    workgroupBarrier();
#unroll i ${PER}
    {
      let at = ${i}u * WG + lane;
      let offset = start + at / PADDED;
      let column = at % PADDED;
      if (offset < params.chunk) {
        let keys = k_quad(kv_start + min(first + offset, last_key) * params.kv_position + min(column, ${QUADS}u - 1u));
        tile[(at / PADDED) * PITCH + column] = select(vec4<f32>(), vec4<f32>(keys), column < ${QUADS}u);
      }
    }
#end
    workgroupBarrier();
    var parts = array<vec4<f32>, ${ROW_QUADS}>();
#unroll i ${PER}
    {
      let keys = tile[key * PITCH + part + ${i}u * ${PARTS}u];
#unroll m ${ROWS}
      parts[${m} / 4][${m} % 4] = add_product(parts[${m} / 4][${m} % 4], queries[${m}u * PADDED + part + ${i}u * ${PARTS}u], keys);
#end
    }
#end
    workgroupBarrier();
#unroll g ${ROW_QUADS}
    tile[(${g}u * ${PARTS}u + part) * SUMS_PITCH + key] = parts[${g}];
#end
    workgroupBarrier();
    // Before the start it wraps to a huge number.
    if (lane - start < ${KEYS}u) {
#unroll g ${ROW_QUADS}
#unroll p ${PARTS}
      scores[${g}] += tile[(${g}u * ${PARTS}u + ${p}u) * SUMS_PITCH + lane - start];
#end
#end
    }
  }

  let t = first + lane;
#unroll m ${ROWS}
  {
    let row = min(first_row + ${m}u, rows - 1u);
    let position = row / params.group;
    let mask_start = place.batch * params.mask_batch + (place.kv_head * params.group + row % params.group) * params.mask_head + position * params.mask_row;
    var score = scores[${m} / 4][${m} % 4];
    ${MASK}
    let seen = lane < params.chunk && t < min(params.causal_from + position + 1u, params.context);
    scores[${m} / 4][${m} % 4] = select(LOWEST, score, seen);
  }
#end
  var weights: array<vec4<f32>, ${ROW_QUADS}>;
#unroll g ${ROW_QUADS}
  {
    let top = max(top_over_lanes(scores[${g}], lane), vec4<f32>(LOWEST));
    // A place that is not seen must weigh nothing even if nothing is seen at all.
    weights[${g}] = select(vec4<f32>(), exp(scores[${g}] - top), scores[${g}] > vec4<f32>(LOWEST));
    let sum = sum_over_lanes(weights[${g}], lane);
    if (lane < min(${ROWS}u - 4u * ${g}u, 4u)) { found[4u * ${g}u + lane] = vec2<f32>(top[lane], sum[lane]); }
    tile[${g}u * WG + lane] = weights[${g}];
  }
#end
  workgroupBarrier();

  let quad = lane % ${QUADS}u;
#unroll m ${ROWS}
  var out${m} = vec4<f32>();
#end
  let count = min(params.chunk, params.context - first);
  for (var j = lane / ${QUADS}u; j < count; j += 4u * ${SUBS}u) {
#unroll u 4
    let j${u} = j + ${u}u * ${SUBS}u;
    let value${u} = v_quad(kv_start + min(first + j${u}, last_key) * params.kv_position + quad);
#end
#unroll u 4
#unroll g ${ROW_QUADS}
    weights[${g}] = select(vec4<f32>(), tile[${g}u * WG + min(j${u}, WG - 1u)], j${u} < count);
#end
#unroll m ${ROWS}
    out${m} = fma(vec4<f32>(weights[${m} / 4][${m} % 4]), value${u}, out${m});
#end
#end
  }
  workgroupBarrier();
#unroll m ${ROWS}
  tile[${m}u * WG + lane] = out${m};
#end
  workgroupBarrier();
  for (var i = lane; i < ${ROWS}u * ${QUADS}u; i += WG) {
    let m = i / ${QUADS}u;
    let row = first_row + m;
    if (row >= rows) { break; }
    var out = tile[m * WG + i % ${QUADS}u];
    for (var s = 1u; s < ${SUBS}u; s++) { out += tile[m * WG + s * ${QUADS}u + i % ${QUADS}u]; }
    if (params.chunks == 1u) {
      y_put(q_start(row, place) + i % ${QUADS}u, out / max(found[m].y, 1e-30));
    } else {
      let at = ((head_index * rows + row) * params.chunks + chunk) * (${QUADS}u + 1u);
      if (i % ${QUADS}u == 0u) { partial_put(at, vec4<f32>(found[m], 0.0, 0.0)); }
      partial_put(at + 1u + i % ${QUADS}u, out);
    }
  }
}
