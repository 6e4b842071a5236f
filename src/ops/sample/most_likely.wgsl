// The token with the largest logit.
#include "sample_shared.wgsl"
#include "put_winner.wgsl"
#input x

#main row lane
  if (row > 0u || params.count == 0u) { return; }
  var best = Find(LOWEST, 0u);
  for (var i = lane; i < params.count; i += WG) {
    let v = x_at(params.start + i);
    if (v > best.score) { best = Find(v, i); }
  }
  put_winner(lane, best);
}
