struct Params {
  tiles: u32,
  pixel_start: u32,    // those before are for other tiles
  pixel_tiles: u32,
  channel_tiles: u32,  // of one group
  groups: u32,
  channels: u32,       // of one group
  inputs: u32,         // channels of x of one group
#include "window_params.wgsl"
}
