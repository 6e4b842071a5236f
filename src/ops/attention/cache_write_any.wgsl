// The same for rows that are not whole quads: an invocation looks at a quad of the caches, and replaces
// those of its elements that are new.
struct Params {
  quads: u32,
  numel: u32,
  batch_elements: u32,  // new ones in each batch
  cache_elements: u32,  // of a batch of a cache
  offset: u32,
}
#unroll n ${CACHES}
#output cache${n}
#end
#unroll n ${CACHES}
#input value${n}
#end

#main i
  if (i >= params.quads) { return; }
#unroll n ${CACHES}
  var quad${n} = cache${n}_quad(i);
#end
  var changed = false;
  for (var k = 0u; k < 4u; k++) {
    let element = 4u * i + k;
    let at = element % params.cache_elements - params.offset;
    // Before the offset it wraps to a huge number.
    if (element >= params.numel || at >= params.batch_elements) { continue; }
    let source = (element / params.cache_elements) * params.batch_elements + at;
#unroll n ${CACHES}
    quad${n}[k] = cache${n}_t(value${n}_at(source));
#end
    changed = true;
  }
  if (!changed) { return; }
#unroll n ${CACHES}
  cache${n}_put(i, quad${n});
#end
}
