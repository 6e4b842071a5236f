// y = x folded over some of its dims. One invocation makes four outputs, a whole quad, and walks all
// that goes into them: right for an adapter that computes on the CPU, and for short walks.
//
// `kept` are the dims of y with their strides in x, `reduced` those that are walked. The innermost
// reduced dim is a plain loop; the others are a loop of `outer` rounds about it.
struct Params {
  quads: u32,
  outputs: u32,
  count: u32,
  mode: u32,
  outer: u32,
  inner: u32,
  inner_stride: u32,
  kept_rank: u32,
  reduced_rank: u32,
  kept_size: array<vec4<u32>, 2>,
  kept_stride: array<vec4<u32>, 2>,
  reduced_size: array<vec4<u32>, 2>,
  reduced_stride: array<vec4<u32>, 2>,
}
#output y
#input x
${SHARED}

// So many elements are folded by themselves before they join the rest: a long sum would lose what is
// small beside it.
const CHUNK: u32 = 128u;
// The four outputs' elements lie in one quad.
const COLUMNS: u32 = 1u;
// Each output's elements lie together, in whole quads.
const ROWS: u32 = 2u;

#main q
  if (q >= params.quads) { return; }
  let base = bases(q);
  let start = begin(base);
  var s = start;
  for (var o = 0u; o < params.outer; o++) {
    let origin = base + vec4<u32>(reduced_source(o));
    for (var low = 0u; low < params.inner; low += CHUNK) {
      let high = min(low + CHUNK, params.inner);
      let j = o * params.inner;
      var part = start;
      if (params.mode == COLUMNS) {
        for (var i = low; i < high; i++) {
          part = take(part, vec4<T>(x_quad((origin.x + i * params.inner_stride) >> 2u)), j + i);
        }
      } else if (params.mode == ROWS) {
        for (var i = low; i < high; i += 4u) {
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
        for (var i = low; i < high; i++) {
          part = take(part, gathered(origin + vec4<u32>(i * params.inner_stride)), j + i);
        }
      }
      s = merge(s, part);
    }
  }
  y_put(q, finish(s));
}
