// Where the windows of pixels begin, in x or in what pads it, and where a tap reads. What lies outside
// of x is a coordinate past its size.
fn window_begin(pixel: vec4<u32>, stride: i32, padding: i32) -> vec4<i32> {
  return vec4<i32>(pixel) * stride - padding;
}
fn window_source(begin: vec4<i32>, tap: i32, stride: i32) -> vec4<u32> { return vec4<u32>(begin + tap); }
