// The other convention: element i of the first half of a head's first `rotary` elements is paired
// with element i of the second half. What is beyond `rotary` passes through.
struct Params {
  quads: u32,
  q_quads: u32,
  head_quads: u32,
  q_heads: u32,
  k_heads: u32,
  positions: u32,
  start: u32,
  rotary: u32,
}
#output q_out
#output k_out
#input q
#input k
#input cosines
#input sines

// For lane e of quad i: where its partner is, and with which sign and angle it comes in.
struct Turn {
  partner: u32,
  cosine: f32,
  sine: f32,
}

fn turn(i: u32, e: u32, heads: u32) -> Turn {
  let position = (i / (params.head_quads * heads)) % params.positions;
  let at = 4u * (i % params.head_quads) + e;
  let element = 4u * i + e;
  if (at >= params.rotary) { return Turn(element, 1.0, 0.0); }
  let table = (params.start + position) * params.rotary + at;
  let middle = params.rotary / 2u;
  if (at < middle) { return Turn(element + middle, cosines_at(table), -sines_at(table)); }
  return Turn(element - middle, cosines_at(table), sines_at(table));
}

#main i
  if (i >= params.quads) { return; }
  var result = vec4<f32>();
  if (i < params.q_quads) {
    let v = q_quad(i);
    for (var e = 0u; e < 4u; e++) {
      let t = turn(i, e, params.q_heads);
      result[e] = v[e] * t.cosine + q_at(t.partner) * t.sine;
    }
    q_out_put(i, result);
  } else {
    let quad = i - params.q_quads;
    let v = k_quad(quad);
    for (var e = 0u; e < 4u; e++) {
      let t = turn(quad, e, params.k_heads);
      result[e] = v[e] * t.cosine + k_at(t.partner) * t.sine;
    }
    k_out_put(quad, result);
  }
}
