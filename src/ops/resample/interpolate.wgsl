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
