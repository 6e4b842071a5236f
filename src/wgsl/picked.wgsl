// Quad q of y, each of whose elements i is element source(i) of x. `by_quad`: where four of them begin
// at a whole quad of x and lie together. Elements past the last are copies of it.
fn picked(q: u32, by_quad: bool) -> vec4<y_t> {
  if (by_quad) { return vec4<y_t>(x_quad(source(4u * q) >> 2u)); }
  var v = vec4<y_t>();
  for (var k = 0u; k < 4u; k++) { v[k] = y_t(x_at(source(min(4u * q + k, params.numel - 1u)))); }
  return v;
}
