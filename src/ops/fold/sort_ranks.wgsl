// Of each element of x, how many along its dim come before it in order.
struct Params {
  quads: u32,
  numel: u32,
  count: u32,
  inner: u32,
}
#output ranks
#input x

fn rank_of(i: u32) -> i32 {
  let place = i / params.inner % params.count;
  let first = i - place * params.inner;
  let own = x_at(i);
  var rank = 0;
  for (var j = 0u; j < params.count; j++) {
    let other = x_at(first + j * params.inner);
    // Equals stay in the order that they have.
    rank += select(0, 1, other ${BEFORE} own || (other == own && j < place));
  }
  return rank;
}

#main q
  if (q >= params.quads) { return; }
  var v = vec4<i32>();
  for (var e = 0u; e < 4u; e++) { v[e] = rank_of(min(4u * q + e, params.numel - 1u)); }
  ranks_put(q, v);
}
