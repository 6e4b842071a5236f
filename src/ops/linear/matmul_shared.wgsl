// What every kernel for dense products begins with. What stands for OPERANDS says how quads of x, w and
// y are reached, which need not be whole ones in memory.
struct Params {
  tiles: u32,
  row_start: u32,       // those before are for other tiles
  row_tiles: u32,
  rows: u32,
  column_start: u32,    // in quads
  column_tiles: u32,
  columns: u32,
  column_quads: u32,    // of one layer, if ${LAYERS} are read together
  depth: u32,
  depth_quads: u32,
  w_batch: u32,         // where the next batch begins, as w_start counts; 0: all batches share w
  bias_row: u32,        // strides in elements; both 0: one number
  bias_column: u32,
  alpha: f32,
  beta: f32,            // 0: no bias
  p: f32,               // of the epilogue
  q: f32,
  output_start: vec4<u32>,
  output_end: vec4<u32>,
}
${OPERANDS}
alias T = f32;
${EPILOGUE}
#include "add_product.wgsl"

// Weights of one column each, or of one k each.
fn add_by_column(sum: vec4<f32>, a: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
  return vec4<f32>(add_product(sum.x, a, w0), add_product(sum.y, a, w1), add_product(sum.z, a, w2), add_product(sum.w, a, w3));
}
fn add_by_depth(sum: vec4<f32>, a: vec4<f32>, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>) -> vec4<f32> {
  return fma(a.wwww, w3, fma(a.zzzz, w2, fma(a.yyyy, w1, fma(a.xxxx, w0, sum))));
}
