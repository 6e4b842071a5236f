// Convolution as a product of weights and windows: y[channel, pixel] is the sum over taps and input
// channels of w[channel, tap, input] * x[input, source of the pixel at the tap].
//
// The lanes of a subgroup compute ${ROWS} channels together, each lane ${QUADS} times four pixels of its
// own, in registers. Pixels are counted through the whole image, so that no row of it is too short. All
// lanes need the same weights: each loads a part of them and hands it to the others.
//
// Weights lie as [group, tile of channels, tap, input, channel], with zeros for channels that fill up
// the last tile of a group.
#include "tile_params.wgsl"
#output y : f32
#input x
#image w
#input bias
${SOURCES}
${EPILOGUE}
alias T = f32;
#include "gathered.wgsl"

fn put(plane: u32, first: u32, v: vec4<f32>) {
#unroll k 4
  if (first + ${k}u < params.pixels) { y_set(plane * params.pixels + first + ${k}u, v[${k}]); }
#end
}

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let channel_tile = (tile / params.pixel_tiles) % params.channel_tiles;
  let part = tile / (params.pixel_tiles * params.channel_tiles);  // image and group
  let x_pixels = params.x_height * params.x_width;
#unroll c ${QUADS}
  let first${c} = params.pixel_start + 4u * (((tile % params.pixel_tiles) * ${QUADS}u + ${c}u) * ${LANES}u + lane);
  // Pixels past the last are computed from the last, and not written.
  let pixel${c} = min(vec4<u32>(first${c}) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.pixels - 1u));
  let begin_y${c} = window_begin(pixel${c} / params.width, params.stride_y, params.padding_y);
  let begin_x${c} = window_begin(pixel${c} % params.width, params.stride_x, params.padding_x);
#end
  var w_start = ((part % params.groups) * params.channel_tiles + channel_tile) * params.taps_y * params.taps_x * params.inputs * ${ROW_QUADS}u;
  var sums = array<vec4<f32>, ${ROWS}u * ${QUADS}u>();
  for (var tap_y = 0u; tap_y < params.taps_y; tap_y++) {
    for (var tap_x = 0u; tap_x < params.taps_x; tap_x++) {
#unroll c ${QUADS}
      let y${c} = window_source(begin_y${c}, i32(tap_y) * params.dilation_y, params.stride_y);
      let x${c} = window_source(begin_x${c}, i32(tap_x) * params.dilation_x, params.stride_x);
      let inside${c} = (y${c} < vec4<u32>(params.x_height)) & (x${c} < vec4<u32>(params.x_width));
      let source${c} = select(vec4<u32>(), y${c} * params.x_width + x${c}, inside${c});
#end
      for (var input = 0u; input < params.inputs; input += ${STEP}u) {
#include "tile_weights.wgsl"
#unroll j ${STEP}
        if (input + ${j}u < params.inputs) {
          let plane = vec4<u32>((part * params.inputs + input + ${j}u) * x_pixels);
#unroll c ${QUADS}
          {
            let v = select(vec4<f32>(), gathered(plane + source${c}), inside${c});
#unroll r ${ROW_QUADS}
#unroll e 4
            sums[(4u * ${r}u + ${e}u) * ${QUADS}u + ${c}u] = fma(vec4<f32>(ws[${j}u * ${ROW_QUADS}u + ${r}u][${e}]), v, sums[(4u * ${r}u + ${e}u) * ${QUADS}u + ${c}u]);
#end
#end
          }
#end
        }
#end
      }
      w_start += params.inputs * ${ROW_QUADS}u;
    }
  }
#unroll m ${ROWS}
  {
    let channel = channel_tile * ${ROWS}u + ${m}u;
    if (channel < params.channels) {
      let plane = part * params.channels + channel;
      var b = 0.0;
      if (params.has_bias != 0u) { b = f32(bias_at(plane % (params.groups * params.channels))); }
#unroll c ${QUADS}
      put(plane, first${c}, epilogue(sums[${m}u * ${QUADS}u + ${c}u] + b, plane * params.pixels + pixel${c}));
#end
    }
  }
#end
}
