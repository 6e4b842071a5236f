// Rotary position embedding of q and k in one step. Elements 2i and 2i + 1 of a head are a pair,
// turned by the angle whose cosine and sine stand in row `start + position` of the tables.
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
#input cosines
#input sines

fn turn(v: vec4<f32>, i: u32, heads: u32) -> vec4<f32> {
  let position = (i / (params.head_quads * heads)) % params.positions;
  let pair = ((params.start + position) * params.head_quads + i % params.head_quads) * 2u;
  let c = vec2<f32>(cosines_at(pair), cosines_at(pair + 1u));
  let s = vec2<f32>(sines_at(pair), sines_at(pair + 1u));
  let even = v.xz * c - v.yw * s;
  let odd = v.xz * s + v.yw * c;
  return vec4<f32>(even.x, odd.x, even.y, odd.y);
}

#main i
  if (i >= params.quads) { return; }
  if (i < params.q_quads) {
    q_out_put(i, turn(q_quad(i), i, params.q_heads));
  } else {
    let at = i - params.q_quads;
    k_out_put(at, turn(k_quad(at), at, params.k_heads));
  }
}
