// The same by one workgroup for four outputs: neighbouring invocations read neighbouring elements,
// and what they found meets in workgroup memory. For long walks on a GPU.
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

var<workgroup> states: array<State, WG>;

#main q lane
  if (q >= params.quads) { return; }
  let base = bases(q);
  var s = begin(base);
  for (var j = lane; j < params.count; j += WG) {
    let at = reduced_source(j / params.inner) + (j % params.inner) * params.inner_stride;
    s = take(s, gathered(base + vec4<u32>(at)), j);
  }
  states[lane] = s;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) { states[lane] = merge(states[lane], states[lane + stride]); }
  }
  if (lane == 0u) { y_put(q, finish(states[0])); }
}
