// Puts what is new at its position of each cache. Batches lie `cache_quads` apart there.
struct Params {
  quads: u32,
  batch_quads: u32,
  cache_quads: u32,
  offset_quads: u32,
}
#unroll n ${CACHES}
#output cache${n}
#end
#unroll n ${CACHES}
#input value${n}
#end

#main i
  if (i >= params.quads) { return; }
  let at = (i / params.batch_quads) * params.cache_quads + params.offset_quads + i % params.batch_quads;
#unroll n ${CACHES}
  cache${n}_put(at, vec4<cache${n}_t>(value${n}_quad(i)));
#end
}
