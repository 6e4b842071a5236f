// Adds to `offsets` what one index tensor says about where elements lie in x.
struct Params {
  quads: u32,
  numel: u32,
  count: u32,   // the size of the dim that is indexed
  stride: u32,  // and how far apart its neighbours are in x
  first: u32,   // 1: there is nothing to add to
  rank: u32,
  dims: array<vec4<u32>, 8>,
}
#output offsets
#input ids
#include "walk.wgsl"

fn offset(i: u32) -> i32 {
  let id = i32(ids_at(walk(i, 0u, params.rank).x));
  let count = i32(params.count);
  // What is out of range must not be read; ids of the caller's are refused before.
  let place = clamp(select(id, id + count, id < 0), 0, count - 1);
  return place * i32(params.stride);
}

#main q
  if (q >= params.quads) { return; }
  var v = vec4<i32>();
  for (var e = 0u; e < 4u; e++) { v[e] = offset(min(4u * q + e, params.numel - 1u)); }
  if (params.first == 0u) { v += offsets_quad(q); }
  offsets_put(q, v);
}
