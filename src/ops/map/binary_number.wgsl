// y = f(a, b) where b is a number written in the program.
struct Params {
  quads: u32,
  alpha: f32,
  b_float: f32,
  b_int: i32,
}
#output y
#input a
alias T = ${T};
#include FUNCTIONS

#main q
  if (q >= params.quads) { return; }
  let a = vec4<T>(a_quad(q));
  let b = vec4<T>(params.b_${T_NAME});
  let alpha = T(params.alpha);
  y_put(q, vec4<y_t>(${EXPRESSION}));
}
