// y is x at another height and width: its (row, column) lies in x at scale * (its own + offset) -
// offset.
struct Params {
  quads: u32,
  numel: u32,
  x_height: i32,
  x_width: i32,
  y_height: u32,
  y_width: u32,
  row_scale: f32,
  column_scale: f32,
  offset: f32,
}
#output y
#input x

// Beyond its edge x goes on as it is there.
fn texel(plane: u32, at: vec2<i32>) -> x_t {
  let inside = clamp(at, vec2<i32>(), vec2<i32>(params.x_height, params.x_width) - 1);
  return x_at((plane * u32(params.x_height) + u32(inside.x)) * u32(params.x_width) + u32(inside.y));
}

#include "interpolate.wgsl"

#main q
  if (q >= params.quads) { return; }
  let scale = vec2<f32>(params.row_scale, params.column_scale);
  var v = vec4<y_t>();
  for (var k = 0u; k < 4u; k++) {
    let i = min(4u * q + k, params.numel - 1u);
    let row = i / params.y_width;
    let place = vec2<f32>(f32(row % params.y_height), f32(i % params.y_width));
    let at = max(scale * (place + params.offset) - params.offset, vec2<f32>());
    v[k] = y_t(${INTERPOLATE}(row / params.y_height, at));
  }
  y_put(q, v);
}
