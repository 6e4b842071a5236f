// Rotary position embedding of q and k in one step.
struct Params {
  quads: u32,
  q_quads: u32,
  head_quads: u32,
  q_heads: u32,
  k_heads: u32,
  positions: u32,
  start: u32,
}
#output q_out
#output k_out
#input q
#input k
#include "rope_turn.wgsl"

#main i
  if (i >= params.quads) { return; }
  if (i < params.q_quads) {
    q_out_put(i, turn(q_quad(i), i, params.q_heads));
  } else {
    let at = i - params.q_quads;
    k_out_put(at, turn(k_quad(at), at, params.k_heads));
  }
}
