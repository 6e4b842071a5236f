// y = f(a, b) where the operands have y's dims, or a single element.
struct Params {
  quads: u32,
  a_is_scalar: u32,
  b_is_scalar: u32,
  alpha: f32,
}
#output y
#input a
#input b
alias T = ${T};
#include FUNCTIONS

#main q
  if (q >= params.quads) { return; }
  var a = vec4<T>(T(a_at(0u)));
  var b = vec4<T>(T(b_at(0u)));
  if (params.a_is_scalar == 0u) { a = vec4<T>(a_quad(q)); }
  if (params.b_is_scalar == 0u) { b = vec4<T>(b_quad(q)); }
  let alpha = T(params.alpha);
  y_put(q, vec4<y_t>(${EXPRESSION}));
}
