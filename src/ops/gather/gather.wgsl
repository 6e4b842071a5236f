// y has the dims of id, and takes each element from x at the same place but for one dim, where id
// says which. The walk has x's strides, 0 for that dim, whose own is `chosen_stride`.
struct Params {
  quads: u32,
  numel: u32,
  rank: u32,
  count: u32,
  chosen_stride: u32,
  dims: array<vec4<u32>, 8>,
}
#output y
#input x
#input id
#include "walk.wgsl"
#include "picked.wgsl"

fn source(i: u32) -> u32 {
  // A number that the host could not check must not read past x.
  let chosen = u32(clamp(id_at(i), 0, i32(params.count) - 1));
  return chosen * params.chosen_stride + walk(i, 0u, params.rank).x;
}

#main q
  if (q >= params.quads) { return; }
  y_put(q, picked(q, false));
}
