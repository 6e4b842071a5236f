// Elements 2i and 2i + 1 of a head are a pair, turned by the angle whose cosine and sine stand in row
// `start + position` of the tables.
#input cosines
#input sines

// Quad i of rows that have so many heads, which is v.
fn turn(v: vec4<f32>, i: u32, heads: u32) -> vec4<f32> {
  let position = (i / (params.head_quads * heads)) % params.positions;
  let pair = ((params.start + position) * params.head_quads + i % params.head_quads) * 2u;
  let c = vec2<f32>(cosines_at(pair), cosines_at(pair + 1u));
  let s = vec2<f32>(sines_at(pair), sines_at(pair + 1u));
  let even = v.xz * c - v.yw * s;
  let odd = v.xz * s + v.yw * c;
  return vec4<f32>(even.x, odd.x, even.y, odd.y);
}
