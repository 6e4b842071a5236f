// x, w and y have whole quads along their rows. The columns of up to three layers with the same input
// may stand side by side in w; each has an output of its own.
#include "joined_outputs.wgsl"
#input x
#image w
#input bias

fn x_start(row: u32) -> u32 { return row * params.depth_quads; }
fn x_along(start: u32, k: u32) -> vec4<f32> { return x_quad(start + k); }

// Quad k of column r of a quad of columns; and the columns at r of a quad of k.
fn w_by_column(start: u32, quad: u32, k: u32, r: u32) -> vec4<f32> {
  return w_quad(start + (4u * quad + r) * params.depth_quads + k);
}
fn w_by_depth(start: u32, quad: u32, k: u32, r: u32) -> vec4<f32> {
  return w_quad(start + (4u * k + r) * params.column_quads + quad);
}

// The same columns where eight quads of them, a panel, lie side by side at each k.
fn w_packed(start: u32, quad: u32, k: u32, r: u32) -> vec4<f32> {
  return w_quad(start + (quad / 8u * params.depth + 4u * k + r) * 8u + quad % 8u);
}

fn bias_along(start: u32, quad: u32) -> vec4<f32> {
  let at = start + 4u * quad * params.bias_column;
  if (params.bias_column == 0u) { return vec4<f32>(f32(bias_at(at))); }
  return vec4<f32>(bias_quad(at >> 2u));
}

// Where y has a quad of columns, if it is the only output.
fn place(row: u32, quad: u32) -> u32 { return row * params.column_quads + quad; }
