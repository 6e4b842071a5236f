// Whole slices of x, chosen by number: x is [outer, count, inner], y is [outer, ids, inner], and
// y[o, j, :] = x[o, id[j], :].
struct Params {
  quads: u32,
  numel: u32,
  count: u32,
  ids: u32,
  inner: u32,
  from_end: u32,
}
#output y
#input x
#input id
#include "picked.wgsl"

fn source(i: u32) -> u32 {
  let slice = i / params.inner;
  var chosen = id_at(slice % params.ids);
  if (params.from_end != 0u && chosen < 0) { chosen += i32(params.count); }
  // A number that the host could not check must not read past x.
  let at = u32(clamp(chosen, 0, i32(params.count) - 1));
  return (slice / params.ids * params.count + at) * params.inner + i % params.inner;
}

#main q
  if (q >= params.quads) { return; }
  y_put(q, picked(q, params.inner % 4u == 0u));
}
