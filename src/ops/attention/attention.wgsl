// Softmax attention without a matrix of scores: an invocation walks the context four positions at a
// time, and keeps the running maximum, sum and weighted values of ${ROWS} query rows. The rows of a
// tile belong to one kv head, so that each key and value is loaded once for all of them.
//
// With more than one chunk, the context is cut into chunks for different invocations; their partial
// results go to `partial`, and attention_merge puts them together.
struct Params {
  tiles: u32,
  row_tiles: u32,
  kv_heads: u32,
  group: u32,           // query heads for each kv head
  positions: u32,       // queries
  context: u32,         // keys
  causal_from: u32,     // query s sees keys up to causal_from + s
  chunks: u32,
  chunk: u32,           // positions in a chunk, a multiple of 4
  q_batch: u32,         // strides in quads
  q_position: u32,
  q_head: u32,
  kv_batch: u32,
  kv_position: u32,
  kv_head: u32,
  mask_batch: u32,      // strides in elements; 0: the same for all
  mask_head: u32,
  mask_row: u32,
  scale: f32,
}
#output y
#output partial
#input q
#input k
#input v
#input mask

const LOWEST = -1e30;

#main tile
  if (tile >= params.tiles) { return; }
  let row_tile = tile % params.row_tiles;
  let chunk = (tile / params.row_tiles) % params.chunks;
  let head_index = tile / (params.row_tiles * params.chunks);
  let kv_head = head_index % params.kv_heads;
  let batch = head_index / params.kv_heads;
  let rows = params.positions * params.group;
#unroll m ${ROWS}
  // Rows past the last are computed from the last, and not written.
  let row${m} = min(row_tile * ${ROWS}u + ${m}u, rows - 1u);
  let position${m} = row${m} / params.group;
  let q_at${m} = batch * params.q_batch + position${m} * params.q_position + (kv_head * params.group + row${m} % params.group) * params.q_head;
  let mask_at${m} = batch * params.mask_batch + (kv_head * params.group + row${m} % params.group) * params.mask_head + position${m} * params.mask_row;
  let sees${m} = min(params.causal_from + position${m} + 1u, params.context);
  var most${m} = LOWEST;
  var sum${m} = 0.0;
#unroll i ${QUADS}
  let q${m}_${i} = q_quad(q_at${m} + ${i}u) * params.scale;
  var out${m}_${i} = vec4<f32>();
#end
#end
  let kv_start = batch * params.kv_batch + kv_head * params.kv_head;
  // Later rows see more.
  let end = min(sees${LAST}, (chunk + 1u) * params.chunk);
  for (var t = chunk * params.chunk; t < end; t += 4u) {
#unroll j 4
    let kv_at${j} = kv_start + min(t + ${j}u, params.context - 1u) * params.kv_position;
#end
#unroll m ${ROWS}
    var score${m} = vec4<f32>();
#end
#unroll j 4
#unroll i ${QUADS}
    {
      let key = k_quad(kv_at${j} + ${i}u);
#unroll m ${ROWS}
      score${m}[${j}] += dot(q${m}_${i}, key);
#end
    }
#end
#end
    let places = vec4<u32>(t, t + 1u, t + 2u, t + 3u);
#unroll m ${ROWS}
    ${MASK}
    score${m} = select(vec4<f32>(LOWEST), score${m}, places < vec4<u32>(sees${m}));
    let top${m} = max(max(max(score${m}.x, score${m}.y), max(score${m}.z, score${m}.w)), most${m});
    let keep${m} = exp(most${m} - top${m});
    // A place that is not seen must weigh nothing even if nothing has been seen yet.
    let weight${m} = select(vec4<f32>(), exp(score${m} - top${m}), score${m} > vec4<f32>(LOWEST));
    sum${m} = sum${m} * keep${m} + dot(weight${m}, vec4<f32>(1.0));
    most${m} = top${m};
#end
#unroll i ${QUADS}
    {
      let value0 = v_quad(kv_at0 + ${i}u);
      let value1 = v_quad(kv_at1 + ${i}u);
      let value2 = v_quad(kv_at2 + ${i}u);
      let value3 = v_quad(kv_at3 + ${i}u);
#unroll m ${ROWS}
      out${m}_${i} = out${m}_${i} * keep${m} + weight${m}.x * value0 + weight${m}.y * value1 + weight${m}.z * value2 + weight${m}.w * value3;
#end
    }
#end
  }
#unroll m ${ROWS}
  if (row_tile * ${ROWS}u + ${m}u < rows) {
    if (params.chunks == 1u) {
      let norm = 1.0 / max(sum${m}, 1e-30);
#unroll i ${QUADS}
      y_put(q_at${m} + ${i}u, out${m}_${i} * norm);
#end
    } else {
      let at = ((head_index * rows + row${m}) * params.chunks + chunk) * (${QUADS}u + 1u);
      partial_put(at, vec4<f32>(most${m}, sum${m}, 0.0, 0.0));
#unroll i ${QUADS}
      partial_put(at + 1u + ${i}u, out${m}_${i});
#end
    }
  }
#end
}
