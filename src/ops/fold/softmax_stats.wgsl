// The largest and the sum of exponentials along a dim that is not the last: x is [outer, count,
// inner], and there is one walk for each of outer * inner. One invocation takes four of them.
struct Params {
  quads: u32,
  walks: u32,
  count: u32,
  inner: u32,
}
#output top
#output sum
#input x
#include "softmax_functions.wgsl"

fn walk_start(r: u32) -> u32 {
  let walk = min(r, params.walks - 1u);
  return walk / params.inner * params.count * params.inner + walk % params.inner;
}

alias T = f32;
#include "gathered.wgsl"

#main q
  if (q >= params.quads) { return; }
  let start = vec4<u32>(walk_start(4u * q), walk_start(4u * q + 1u), walk_start(4u * q + 2u), walk_start(4u * q + 3u));
  var most = vec4<f32>(LOWEST);
  var sums = vec4<f32>();
  if (params.inner % 4u == 0u) {
    let step = params.inner / 4u;
    let begin = start.x / 4u;
    for (var j = 0u; j < params.count; j++) { most = max(most, x_quad(begin + j * step)); }
    for (var j = 0u; j < params.count; j++) { sums += exp(x_quad(begin + j * step) - most); }
  } else {
    for (var j = 0u; j < params.count; j++) { most = max(most, gathered(start + vec4<u32>(j * params.inner))); }
    for (var j = 0u; j < params.count; j++) { sums += exp(gathered(start + vec4<u32>(j * params.inner)) - most); }
  }
  top_put(q, most);
  sum_put(q, sums);
}
