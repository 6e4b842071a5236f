// y = silu(gate) * u.
struct Params {
  quads: u32,
}
#output y
#input gate
#input u

#main q
  if (q >= params.quads) { return; }
  let g = gate_quad(q);
  y_put(q, g / (1.0 + exp(-g)) * u_quad(q));
}
