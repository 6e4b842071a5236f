// y = a where the condition holds, else b; the three broadcast to y's dims.
struct Params {
  quads: u32,
  rank: u32,
  by_quad: u32,
  size: array<vec4<u32>, 2>,
  c_stride: array<vec4<u32>, 2>,
  a_stride: array<vec4<u32>, 2>,
  b_stride: array<vec4<u32>, 2>,
  c_inner_stride: u32,
  a_inner_stride: u32,
  b_inner_stride: u32,
}
#output y
#input c
#input a
#input b

// Where element i of y finds its condition and its two candidates.
fn sources(i: u32) -> vec3<u32> {
  var rest = i;
  var offsets = vec3<u32>();
  for (var d = params.rank; d > 0u; d--) {
    let k = d - 1u;
    let size = params.size[k >> 2u][k & 3u];
    offsets += (rest % size) * vec3<u32>(params.c_stride[k >> 2u][k & 3u], params.a_stride[k >> 2u][k & 3u],
                                         params.b_stride[k >> 2u][k & 3u]);
    rest /= size;
  }
  return offsets;
}

#main q
  if (q >= params.quads) { return; }
  var holds = vec4<c_t>();
  var yes = vec4<y_t>();
  var no = vec4<y_t>();
  if (params.by_quad != 0u) {
    let origin = sources(4u * q);
    if (params.c_inner_stride != 0u) { holds = c_quad(origin.x >> 2u); } else { holds = vec4<c_t>(c_at(origin.x)); }
    if (params.a_inner_stride != 0u) { yes = vec4<y_t>(a_quad(origin.y >> 2u)); } else { yes = vec4<y_t>(y_t(a_at(origin.y))); }
    if (params.b_inner_stride != 0u) { no = vec4<y_t>(b_quad(origin.z >> 2u)); } else { no = vec4<y_t>(y_t(b_at(origin.z))); }
  } else {
    for (var k = 0u; k < 4u; k++) {
      let origin = sources(4u * q + k);
      holds[k] = c_at(origin.x);
      yes[k] = y_t(a_at(origin.y));
      no[k] = y_t(b_at(origin.z));
    }
  }
  y_put(q, select(no, yes, holds != vec4<c_t>()));
}
