// Each element of y is a window of x, folded. x is [planes, height, width], y the same with a height and
// a width of its own. What a window has outside of x does not count. ${LANES} invocations make four
// elements, a whole quad, and walk their windows together.
//
// Pairs are along the height, and along the width.
struct Params {
  quads: u32,
  numel: u32,
  x_height: i32,
  x_width: i32,
  y_height: u32,
  y_width: u32,
  counts_padding: i32,
  divisor: i32,       // 0: as many as the window has
  lowest: u32,        // bits of a T
  window: vec4<i32>,  // its size, and how far apart its elements are
  grid: vec4<i32>,    // how far apart windows are, and how far before x the first one begins
}
#output y
#unroll o ${PLACES}
#output place
#end
#input x
alias T = y_t;
#include "gathered.wgsl"
#over_lanes state State merge(a, b)

// What is known of four windows after some of their elements: a value, and where in its plane it was
// found.
struct State {
  value: vec4<T>,
  at: vec4<i32>,
}

// Of four windows: where in x their planes begin, and where in these they begin themselves.
struct Windows {
  plane: vec4<i32>,
  row: vec4<i32>,
  column: vec4<i32>,
}

// Those of quad q of y; past the last they repeat it.
fn windows(q: u32) -> Windows {
  let i = min(vec4<u32>(4u * q) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.numel - 1u));
  let row = i / params.y_width;
  return Windows(vec4<i32>(row / params.y_height) * (params.x_height * params.x_width),
                 vec4<i32>(row % params.y_height) * params.grid.x - params.grid.z,
                 vec4<i32>(i % params.y_width) * params.grid.y - params.grid.w);
}

// begin(windows), merge(a, b) and finish(windows, state).
${FOLD}

#lanes q lane
  if (q >= params.quads) { return; }
  let w = windows(q);
  var s = begin(w);
  let width = u32(params.window.y);
  for (var j = lane; j < u32(params.window.x) * width; j += ${LANES}u) {
    let row = w.row + i32(j / width) * params.window.z;
    let column = w.column + i32(j % width) * params.window.w;
    let inside = (row >= vec4<i32>()) & (row < vec4<i32>(params.x_height)) &
                 (column >= vec4<i32>()) & (column < vec4<i32>(params.x_width));
    let at = select(vec4<i32>(), row * params.x_width + column, inside);
    let next = merge(s, State(gathered(vec4<u32>(w.plane + at)), at));
    s = State(select(s.value, next.value, inside), select(s.at, next.at, inside));
  }
  s = state_over_lanes(s, lane);
  if (lane > 0u) { return; }
  y_put(q, finish(w, s));
#unroll o ${PLACES}
  place_put(q, s.at);
#end
}
