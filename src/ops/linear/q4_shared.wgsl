// What every kernel for 4-bit weights begins with. A block is 32 weights of one column along k, which
// are one vec4<u32>. The columns of up to three layers with the same input may stand side by side in
// w; each has an output of its own.
struct Params {
  tiles: u32,           // of outputs, each computed by an invocation, a subgroup or a workgroup
  rows: u32,
  column_tiles: u32,
  column_quads: u32,    // of one layer, if ${LAYERS} are computed together
  blocks: u32,
  blocks_per_group: u32,
  scale_row_quads: u32,
  layers: u32,          // 2: of a gate and what it lets through
  has_residual: u32,
  inverse_depth: f32,
  norm_eps: f32,
  range_eps: f32,
  output_start: vec4<u32>,
  output_end: vec4<u32>,
}
#include "joined_outputs.wgsl"
#input x
#image w : vec4<u32>
#image scale
${MORE_INPUTS}

// A nibble stands for its value less 8: with its upper bit turned it is that in two's complement.
fn w_block(at: u32) -> vec4<u32> {
  return w_item(at) ^ vec4<u32>(0x88888888u);
}

// How far each of a word's eight nibbles is from its upper end.
const LOW = vec4<u32>(${LOW_SHIFTS});
const HIGH = vec4<u32>(${HIGH_SHIFTS});

fn nibbles(word: u32, shifts: vec4<u32>) -> vec4<f32> {
  return vec4<f32>((vec4<i32>(bitcast<i32>(word)) << shifts) >> vec4<u32>(28u));
}

#include "add_product.wgsl"
