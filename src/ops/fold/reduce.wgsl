// y = x folded over some of its dims. ${LANES} invocations make four outputs, a whole quad, and walk all
// that goes into them.
//
// `dims` are those of y with their strides in x, and after them those that are walked. Of these the
// innermost is a plain loop, and the others are a loop of `outer` rounds about it.
struct Params {
  quads: u32,
  outputs: u32,
  count: u32,
  mode: u32,
  outer: u32,
  inner: u32,
  inner_stride: u32,
  inner_lanes: u32,  // share the innermost dim among them; the others share the outer rounds
  kept_rank: u32,
  outer_rank: u32,
  dims: array<vec4<u32>, 8>,
}
#output y
#input x
alias T = ${T};
#include "walk.wgsl"
#include "gathered.wgsl"
#over_lanes state State merge(a, b)

// What is known of four outputs after some of their elements: a value, and where it was found.
struct State {
  value: vec4<T>,
  at: vec4<u32>,
}

// The better of two finds; of equals the first.
fn pick(a: State, b: State, better: vec4<bool>) -> State {
  let chosen = better | ((a.value == b.value) & (b.at < a.at));
  return State(select(a.value, b.value, chosen), select(a.at, b.at, chosen));
}

fn begin(base: vec4<u32>) -> State {
  let first = gathered(base);
  return State(${BEGIN}, vec4<u32>());
}
fn merge(a: State, b: State) -> State { return ${MERGED}; }
fn take(s: State, v: vec4<T>, j: u32) -> State { return merge(s, State(v, vec4<u32>(j))); }
fn finish(s: State) -> vec4<y_t> {
  let n = params.count;
  return vec4<y_t>(${FINISH});
}

// Where output i begins in x; outputs past the last repeat it.
fn base_of(i: u32) -> u32 { return walk(min(i, params.outputs - 1u), 0u, params.kept_rank).x; }

// So many elements are folded by themselves before they join the rest: a long sum would lose what is
// small beside it.
const CHUNK: u32 = 128u;
// The four outputs' elements lie in one quad.
const COLUMNS: u32 = 1u;
// Each output's elements lie together, in whole quads.
const ROWS: u32 = 2u;

#lanes q lane
  if (q >= params.quads) { return; }
  let base = vec4<u32>(base_of(4u * q), base_of(4u * q + 1u), base_of(4u * q + 2u), base_of(4u * q + 3u));
  let start = begin(base);
  let across = select(params.inner_lanes, 1u, ${LANES}u == 1u);
  let first = lane % across;
  var s = start;
  for (var o = lane / across; o < params.outer; o += ${LANES}u / across) {
    let origin = base + vec4<u32>(walk(o, params.kept_rank, params.outer_rank).x);
    let j = o * params.inner;
    for (var low = select(first, 4u * first, params.mode == ROWS); low < params.inner; low += CHUNK * across) {
      let high = min(low + CHUNK * across, params.inner);
      var part = start;
      if (params.mode == COLUMNS) {
        for (var i = low; i < high; i += across) {
          part = take(part, vec4<T>(x_quad((origin.x + i * params.inner_stride) >> 2u)), j + i);
        }
      } else if (params.mode == ROWS) {
        for (var i = low; i < high; i += 4u * across) {
          let at = (origin + vec4<u32>(i)) >> vec4<u32>(2u);
          let a = vec4<T>(x_quad(at.x));
          let b = vec4<T>(x_quad(at.y));
          let c = vec4<T>(x_quad(at.z));
          let d = vec4<T>(x_quad(at.w));
          part = take(part, vec4<T>(a.x, b.x, c.x, d.x), j + i);
          part = take(part, vec4<T>(a.y, b.y, c.y, d.y), j + i + 1u);
          part = take(part, vec4<T>(a.z, b.z, c.z, d.z), j + i + 2u);
          part = take(part, vec4<T>(a.w, b.w, c.w, d.w), j + i + 3u);
        }
      } else {
        for (var i = low; i < high; i += across) {
          part = take(part, gathered(origin + vec4<u32>(i * params.inner_stride)), j + i);
        }
      }
      s = merge(s, part);
    }
  }
  s = state_over_lanes(s, lane);
  if (lane == 0u) { y_put(q, finish(s)); }
}
