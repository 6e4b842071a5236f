// Softmax attention without a matrix of scores: ${LANES} invocations walk the context together, each
// with the running maximum, sum and weighted values of ${ROWS} query rows of its own. All their rows
// belong to one kv head. They bring four keys and values at a time for each other, and look at them
// together.
//
// With more than one chunk, the context is cut into chunks for different invocations; their partial
// results go to `partial`, and attention_merge puts them together.
#include "attention_shared.wgsl"

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let row_tile = tile % params.row_tiles;
  let chunk = (tile / params.row_tiles) % params.chunks;
  let head_index = tile / (params.row_tiles * params.chunks);
  let kv_head = head_index % params.kv_heads;
  let batch = head_index / params.kv_heads;
  let rows = params.positions * params.group;
  let first_row = params.row_start + row_tile * ${LANES}u * ${ROWS}u;
#unroll m ${ROWS}
  // Rows past the last are computed from the last, and not written.
  let row${m} = min(first_row + ${m}u * ${LANES}u + lane, rows - 1u);
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
  // The last row sees most.
  let last_position = (min(first_row + ${LANES}u * ${ROWS}u, rows) - 1u) / params.group;
  let end = min(min(params.causal_from + last_position + 1u, params.context), (chunk + 1u) * params.chunk);
  for (var start = chunk * params.chunk; start < end; start += 4u) {
${LOAD}
    let t = start;
#unroll m ${ROWS}
    var score${m} = vec4<f32>();
#end
#unroll j 4
#unroll i ${QUADS}
    {
      let key = ${KEY};
#unroll m ${ROWS}
      score${m}[${j}] = add_product(score${m}[${j}], q${m}_${i}, key);
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
#unroll j 4
      let value${j} = ${VALUE};
#end
#unroll m ${ROWS}
      out${m}_${i} = fma(vec4<f32>(weight${m}.w), value3, fma(vec4<f32>(weight${m}.z), value2, fma(vec4<f32>(weight${m}.y), value1, fma(vec4<f32>(weight${m}.x), value0, out${m}_${i} * keep${m}))));
#end
    }
#end
  }
  // One store for all of them: a compiler takes as long for each as for hundreds of products.
  for (var i = 0u; i < ${ROWS}u * ${QUADS}u; i++) {
    var v = out0_0;
    var row = row0;
    var q_at = q_at0;
    var most = most0;
    var sum = sum0;
#unroll m ${ROWS}
#unroll i ${QUADS}
    v = select(v, out${m}_${i}, i == ${m}u * ${QUADS}u + ${i}u);
#end
    let is_of_${m} = i / ${QUADS}u == ${m}u;
    row = select(row, row${m}, is_of_${m});
    q_at = select(q_at, q_at${m}, is_of_${m});
    most = select(most, most${m}, is_of_${m});
    sum = select(sum, sum${m}, is_of_${m});
#end
    if (first_row + (i / ${QUADS}u) * ${LANES}u + lane >= rows) { continue; }
    let quad = i % ${QUADS}u;
    if (params.chunks == 1u) {
      y_put(q_at + quad, v * (1.0 / max(sum, 1e-30)));
    } else {
      let at = ((head_index * rows + row) * params.chunks + chunk) * (${QUADS}u + 1u);
      if (quad == 0u) { partial_put(at, vec4<f32>(most, sum, 0.0, 0.0)); }
      partial_put(at + 1u + quad, v);
    }
  }
}
