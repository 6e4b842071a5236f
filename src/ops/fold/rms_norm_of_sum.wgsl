// What is normed is x = a + b, which is an output as well.
#output x
#input a
#input b

fn take(i: u32) -> vec4<f32> {
  let v = a_quad(i) + b_quad(i);
  x_put(i, v);
  return v;
}
fn again(i: u32) -> vec4<f32> { return x_quad(i); }
