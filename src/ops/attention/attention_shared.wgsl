// What every tiled kernel for attention begins with: rows of queries that belong to one kv head, against a
// chunk of the context.
struct Params {
  tiles: u32,
  row_start: u32,       // rows before are for other tiles
  row_tiles: u32,
  kv_heads: u32,
  group: u32,           // query heads for each kv head
  positions: u32,       // queries
  context: u32,         // keys
  causal_from: u32,     // query s sees keys up to causal_from + s
  chunks: u32,
  chunk: u32,           // positions in a chunk, a multiple of 4
  q_batch: u32,         // strides in quads
  q_position: u32,
  q_head: u32,
  kv_batch: u32,
  kv_position: u32,
  kv_head: u32,
  mask_batch: u32,      // strides in elements; 0: the same for all
  mask_head: u32,
  mask_row: u32,
  scale: f32,
}
#output y
#output partial
#input q
#input k
#input v
#input mask

const LOWEST = -1e30;

#include "add_product.wgsl"
