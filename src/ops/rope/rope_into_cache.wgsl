// Rotary position embedding of q and k, of which k goes straight to its place in a cache, and v to its
// place in another. Batches lie `cache_quads` apart there.
struct Params {
  quads: u32,  // of q and k
  q_quads: u32,
  head_quads: u32,
  q_heads: u32,
  k_heads: u32,
  positions: u32,
  start: u32,
  batch_quads: u32,
  cache_quads: u32,
  offset_quads: u32,
}
#output q_out
#output k_cache
#output v_cache
#input q
#input k
#input v
#include "rope_turn.wgsl"

#main i
  if (i >= params.quads) { return; }
  if (i < params.q_quads) {
    q_out_put(i, turn(q_quad(i), i, params.q_heads));
  } else {
    let own = i - params.q_quads;
    let at = (own / params.batch_quads) * params.cache_quads + params.offset_quads + own % params.batch_quads;
    k_cache_put(at, vec4<k_cache_t>(turn(k_quad(own), own, params.k_heads)));
    v_cache_put(at, vec4<v_cache_t>(v_quad(own)));
  }
}
