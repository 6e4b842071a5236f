// The token with the largest logit.
#include "sample_shared.wgsl"

#main row lane
  if (row > 0u || params.count == 0u) { return; }
  var best = LOWEST;
  var best_at = 0u;
  for (var i = lane; i < params.count; i += WG) {
    let v = x_at(params.start + i);
    if (v > best) {
      best = v;
      best_at = i;
    }
  }
  put_winner(lane, best, best_at);
}
