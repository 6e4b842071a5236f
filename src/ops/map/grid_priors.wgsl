// y[i] = (column, row) of place i of a grid, both offset and then scaled. A quad is two places.
struct Params {
  quads: u32,
  width: u32,
  stride: f32,
  offset: f32,
}
#output y

#main q
  if (q >= params.quads) { return; }
  let i = vec2<u32>(2u * q, 2u * q + 1u);
  let column = vec2<f32>(i % params.width);
  let row = vec2<f32>(i / params.width);
  y_put(q, (vec4<f32>(column.x, row.x, column.y, row.y) + params.offset) * params.stride);
}
