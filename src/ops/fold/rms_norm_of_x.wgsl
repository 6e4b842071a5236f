// What is normed is x.
#input x

fn take(i: u32) -> vec4<f32> { return x_quad(i); }
fn again(i: u32) -> vec4<f32> { return x_quad(i); }
