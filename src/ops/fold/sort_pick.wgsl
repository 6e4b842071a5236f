// The first elements of x in order, and where they were, by the rank of each.
struct Params {
  quads: u32,
  numel: u32,
  kept: u32,   // of `count`
  count: u32,
  inner: u32,
}
#output y
#output places
#input x
#input ranks

#main q
  if (q >= params.quads) { return; }
  var v = vec4<y_t>();
  var at = vec4<i32>();
  for (var e = 0u; e < 4u; e++) {
    let i = min(4u * q + e, params.numel - 1u);
    let wanted = i32(i / params.inner % params.kept);
    let first = i / (params.inner * params.kept) * params.inner * params.count + i % params.inner;
    for (var j = 0u; j < params.count; j++) {
      if (ranks_at(first + j * params.inner) == wanted) {
        v[e] = y_t(x_at(first + j * params.inner));
        at[e] = i32(j);
        break;
      }
    }
  }
  y_put(q, v);
  places_put(q, at);
}
