// y[n, c, place] is plane (n, c) of x at the column and row that grid[n, place] names, both from -1
// to 1.
struct Params {
  quads: u32,
  numel: u32,
  channels: u32,
  x_height: i32,
  x_width: i32,
  places: u32,  // of a plane of y
}
#output y
#input x
#input grid

fn texel(plane: u32, at: vec2<i32>) -> f32 {
  let size = vec2<i32>(params.x_height, params.x_width);
  if (any(at < vec2<i32>()) || any(at >= size)) { return 0.0; }
  return x_at((plane * u32(size.x) + u32(at.x)) * u32(size.y) + u32(at.y));
}

#include "interpolate.wgsl"

// From -1 to 1, to (row, column) in x. With aligned corners these are the middles of the outermost
// elements, without they are their outer edges.
fn unnormalized(at: vec2<f32>, size: vec2<f32>) -> vec2<f32> {
  return ${UNNORMALIZED};
}

// Where a place outside of x is taken from.
fn clipped(at: vec2<f32>, size: vec2<f32>) -> vec2<f32> {
  return clamp(at, vec2<f32>(), size - 1.0);
}
fn reflected(at: vec2<f32>, size: vec2<f32>) -> vec2<f32> {
  let low = ${MIRROR};
  let span = size - 1.0 - 2.0 * low;
  let from_low = abs(at - low);
  let flips = floor(from_low / span);
  let rest = from_low - flips * span;
  let is_even = flips - 2.0 * floor(flips / 2.0) == vec2<f32>();
  let inside = select(span - rest, rest, is_even) + low;
  return clipped(select(inside, vec2<f32>(), span <= vec2<f32>()), size);
}
fn settled(at: vec2<f32>, size: vec2<f32>) -> vec2<f32> {
  return ${SETTLED};
}

// Each of its neighbours may lie outside.
fn cubic(plane: u32, at: vec2<f32>, size: vec2<f32>) -> f32 {
  let low = floor(at);
  var by_row = cubic_weights(at.x - low.x);
  var by_column = cubic_weights(at.y - low.y);
  var sum = 0.0;
  for (var r = 0u; r < 4u; r++) {
    for (var c = 0u; c < 4u; c++) {
      let place = settled(low + vec2<f32>(f32(r), f32(c)) - 1.0, size);
      sum += by_row[r] * by_column[c] * texel(plane, vec2<i32>(place));
    }
  }
  return sum;
}

#main q
  if (q >= params.quads) { return; }
  let size = vec2<f32>(f32(params.x_height), f32(params.x_width));
  var v = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let i = min(4u * q + k, params.numel - 1u);
    let plane = i / params.places;
    let place = 2u * (plane / params.channels * params.places + i % params.places);
    let at = unnormalized(vec2<f32>(grid_at(place + 1u), grid_at(place)), size);
    v[k] = ${INTERPOLATE};
  }
  y_put(q, v);
}
