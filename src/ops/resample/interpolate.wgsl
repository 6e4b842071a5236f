// The value of a plane of x at (row, column), which may lie between its elements. What is at whole
// places is for the kernel's own `texel` to say, outside of x as well.
fn nearest(plane: u32, at: vec2<f32>) -> x_t {
  return texel(plane, vec2<i32>(${NEAREST}(at)));
}

fn linear(plane: u32, at: vec2<f32>) -> f32 {
  let low = floor(at);
  let part = at - low;
  let i = vec2<i32>(low);
  let upper = mix(f32(texel(plane, i)), f32(texel(plane, i + vec2<i32>(0, 1))), part.y);
  let lower = mix(f32(texel(plane, i + vec2<i32>(1, 0))), f32(texel(plane, i + vec2<i32>(1, 1))), part.y);
  return mix(upper, lower, part.x);
}

// Cubic convolution: the weights of what is less than 1 away, and of what is 1 to 2 away.
fn cubic_near(away: vec2<f32>, a: f32) -> vec2<f32> {
  return ((a + 2.0) * away - (a + 3.0)) * away * away + 1.0;
}
fn cubic_far(away: vec2<f32>, a: f32) -> vec2<f32> {
  return ((a * away - 5.0 * a) * away + 8.0 * a) * away - 4.0 * a;
}

// The weights of four neighbours, `part` after the second.
fn cubic_weights(part: f32) -> vec4<f32> {
  let away = vec2<f32>(part, 1.0 - part);
  let inner = cubic_near(away, -0.75);
  let outer = cubic_far(away + 1.0, -0.75);
  return vec4<f32>(outer.x, inner.x, inner.y, outer.y);
}
