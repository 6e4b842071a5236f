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

fn cubic(plane: u32, at: vec2<f32>) -> f32 {
  let low = floor(at);
  var by_row = cubic_weights(at.x - low.x);
  var by_column = cubic_weights(at.y - low.y);
  var sum = 0.0;
  for (var r = 0; r < 4; r++) {
    for (var c = 0; c < 4; c++) {
      sum += by_row[r] * by_column[c] * f32(texel(plane, vec2<i32>(low) + vec2<i32>(r, c) - 1));
    }
  }
  return sum;
}

// Filters are wider where y is smaller than x, so that every element of x counts.
fn cubic_filter(away: vec2<f32>) -> vec2<f32> {
  let far = select(vec2<f32>(), cubic_far(away, -0.5), away < vec2<f32>(2.0));
  return select(far, cubic_near(away, -0.5), away < vec2<f32>(1.0));
}
fn filter_weights(away: vec2<f32>) -> vec2<f32> {
  return ${WEIGHTS};
}
fn filtered(plane: u32, middle: vec2<f32>) -> f32 {
  let width = max(vec2<f32>(params.row_scale, params.column_scale), vec2<f32>(1.0));
  let first = max(vec2<i32>(middle - ${REACH} * width + 0.5), vec2<i32>());
  let end = min(vec2<i32>(middle + ${REACH} * width + 0.5), vec2<i32>(params.x_height, params.x_width));
  var sum = 0.0;
  var total = 0.0;
  for (var r = first.x; r < end.x; r++) {
    for (var c = first.y; c < end.y; c++) {
      let weights = filter_weights(abs(vec2<f32>(f32(r), f32(c)) + 0.5 - middle) / width);
      sum += weights.x * weights.y * f32(texel(plane, vec2<i32>(r, c)));
      total += weights.x * weights.y;
    }
  }
  return sum / total;
}

#main q
  if (q >= params.quads) { return; }
  let scale = vec2<f32>(params.row_scale, params.column_scale);
  var v = vec4<y_t>();
  for (var k = 0u; k < 4u; k++) {
    let i = min(4u * q + k, params.numel - 1u);
    let row = i / params.y_width;
    let place = vec2<f32>(f32(row % params.y_height), f32(i % params.y_width));
    let at = scale * (place + params.offset) - params.offset;
    let plane = row / params.y_height;
    v[k] = y_t(${VALUE});
  }
  y_put(q, v);
}
