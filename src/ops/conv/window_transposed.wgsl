// The same the other way round: x is spread by the stride over what the windows see, and a tap that
// meets none of it reads outside.
fn window_begin(pixel: vec4<u32>, stride: i32, padding: i32) -> vec4<i32> {
  return vec4<i32>(pixel) + padding;
}
fn window_source(begin: vec4<i32>, tap: i32, stride: i32) -> vec4<u32> {
  let at = begin - tap;
  let meets = (at >= vec4<i32>()) & (at % stride == vec4<i32>());
  return select(vec4<u32>(0xffffffffu), vec4<u32>(at / stride), meets);
}
