// y = f(a, b, …), where operands are read by strides: strides of 0 stretch them, others pick and
// reorder. Ops that broadcast, and ops that only copy elements from one place to another.
struct Params {
  quads: u32,
  rank: u32,
  by_quad: u32,  // whether four elements of y are always a quad, or a single element, of each operand
  numbers: array<vec4<u32>, 2>,  // p to w: bits of a T
  start: vec4<u32>,    // where each operand begins
  dims: array<vec4<u32>, 8>,
}
#output y
#unroll n ${OPERANDS}
#input x${n}
#end
alias T = ${T};
#include "functions.wgsl"
#include "walk.wgsl"

#main at
  if (at >= params.quads) { return; }
#unroll n ${OPERANDS}
  var v${n} = vec4<T>();
#end
  if (params.by_quad != 0u) {
    let origin = params.start.xyz + walk(4u * at, 0u, params.rank);
    let inner = params.dims[params.rank - 1u].yzw;
#unroll n ${OPERANDS}
    if (inner[${n}] != 0u) { v${n} = vec4<T>(x${n}_quad(origin[${n}] >> 2u)); } else { v${n} = vec4<T>(T(x${n}_at(origin[${n}]))); }
#end
  } else {
    for (var k = 0u; k < 4u; k++) {
      let origin = params.start.xyz + walk(4u * at + k, 0u, params.rank);
#unroll n ${OPERANDS}
      v${n}[k] = T(x${n}_at(origin[${n}]));
#end
    }
  }
  ${LOAD}
  y_put(at, ${RESULT});
}
