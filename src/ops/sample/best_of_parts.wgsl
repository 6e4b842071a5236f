// The best token of those that workgroups found in their parts of a row.
#include "sample_shared.wgsl"
#include "put_winner.wgsl"
#input finds : vec2<u32>

#main row lane
  if (row > 0u) { return; }
  var best = Find(LOWEST, 0u);
  for (var i = lane; i < params.parts; i += WG) {
    let find = finds_item(i);
    best = better(best, Find(bitcast<f32>(find.x), find.y));
  }
  put_winner(lane, best);
}
