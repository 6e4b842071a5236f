// Four elements of x from anywhere.
fn gathered(at: vec4<u32>) -> vec4<T> {
  return vec4<T>(T(x_at(at.x)), T(x_at(at.y)), T(x_at(at.z)), T(x_at(at.w)));
}
