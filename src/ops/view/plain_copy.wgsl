// y = x, quad by quad.
struct Params {
  quads: u32,
}
#output y
#input x

#main q
  if (q >= params.quads) { return; }
  y_put(q, vec4<y_t>(x_quad(q)));
}
