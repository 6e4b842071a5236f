// Up to four inputs side by side. Seen from the dim they are joined along, the output is `rows`
// rows of `width` units, of which input k fills `extent[k]` from `start[k]` on. A unit is a quad if
// all extents are whole quads, else an element.
//
// An output quad is always written by one invocation, whatever its dtype. More than four inputs
// take several steps: each keeps what is not its own.
struct Params {
  quads: u32,
  by_quad: u32,
  width: u32,
  start: vec4<u32>,
  extent: vec4<u32>,
}
#output y
#input a
#input b
#input c
#input d

// Which input unit i of the output comes from (4: none of these), and its index there.
fn source(i: u32) -> vec2<u32> {
  let row = i / params.width;
  let at = i % params.width;
  for (var k = 0u; k < 4u; k++) {
    let offset = at - params.start[k];
    if (at >= params.start[k] && offset < params.extent[k]) {
      return vec2<u32>(k, row * params.extent[k] + offset);
    }
  }
  return vec2<u32>(4u, 0u);
}

fn element(i: u32) -> y_t {
  let origin = source(i);
  switch origin.x {
    case 0u: { return y_t(a_at(origin.y)); }
    case 1u: { return y_t(b_at(origin.y)); }
    case 2u: { return y_t(c_at(origin.y)); }
    case 3u: { return y_t(d_at(origin.y)); }
    default: { return y_at(i); }
  }
}

#main q
  if (q >= params.quads) { return; }
  if (params.by_quad == 0u) {
    y_put(q, vec4<y_t>(element(4u * q), element(4u * q + 1u), element(4u * q + 2u), element(4u * q + 3u)));
    return;
  }
  let origin = source(q);
  switch origin.x {
    case 0u: { y_put(q, vec4<y_t>(a_quad(origin.y))); }
    case 1u: { y_put(q, vec4<y_t>(b_quad(origin.y))); }
    case 2u: { y_put(q, vec4<y_t>(c_quad(origin.y))); }
    case 3u: { y_put(q, vec4<y_t>(d_quad(origin.y))); }
    default: {}
  }
}
