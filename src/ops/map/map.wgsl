// y = f(a, b, …), element by element, of whole tensors; some may be a single element for all.
struct Params {
  quads: u32,
  numbers: array<vec4<u32>, 2>,  // p to w: bits of a T
}
#output y
#unroll n ${OPERANDS}
#input x${n}
#end
alias T = ${T};
#include "functions.wgsl"

#main at
  if (at >= params.quads) { return; }
  let i = vec4<T>(vec4<u32>(4u * at) + vec4<u32>(0u, 1u, 2u, 3u));
  ${LOAD}
  y_put(at, ${RESULT});
}
