// A step of AdamW: p is a parameter, m and v are the running means of its gradient g and of g * g.
struct Params {
  quads: u32,
  keep: f32,          // what weight decay leaves of p
  rate: f32,
  eps: f32,
  mean_keep: f32,
  mean_take: f32,
  square_keep: f32,
  square_take: f32,
  mean_bias: f32,
  square_bias: f32,
}
#output p
#output m
#output v
#input g

#main q
  if (q >= params.quads) { return; }
  let gradient = g_quad(q);
  let mean = params.mean_keep * m_quad(q) + params.mean_take * gradient;
  let square = params.square_keep * v_quad(q) + params.square_take * gradient * gradient;
  let step = mean / params.mean_bias / (sqrt(square / params.square_bias) + params.eps);
  m_put(q, mean);
  v_put(q, square);
  p_put(q, params.keep * p_quad(q) - params.rate * step);
}
