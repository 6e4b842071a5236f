// y = f(x), element by element; p and q are the op's number arguments.
struct Params {
  quads: u32,
  p_float: f32,
  q_float: f32,
  p_int: i32,
  q_int: i32,
}
#output y
#input x
alias T = ${T};

// Abramowitz and Stegun 7.1.26: within 1.5e-7 everywhere.
fn error_function(x: vec4<f32>) -> vec4<f32> {
  let t = 1.0 / (1.0 + 0.3275911 * abs(x));
  let tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return sign(x) * (1.0 - tail * exp(-x * x));
}

// Implementations may compute tanh from exp(2x), which overflows; beyond 10 it is 1 in f32.
fn safe_tanh(x: vec4<f32>) -> vec4<f32> {
  return tanh(clamp(x, vec4<f32>(-10.0), vec4<f32>(10.0)));
}

#main i
  if (i >= params.quads) { return; }
  let x = vec4<T>(x_quad(i));
  let p = vec4<T>(params.p_${T_NAME});
  let q = vec4<T>(params.q_${T_NAME});
  y_put(i, vec4<y_t>(${EXPRESSION}));
}
