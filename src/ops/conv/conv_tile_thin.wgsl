// The same as conv_tile for a few pixels: each lane has one of its own, and ${ROWS} channels of it, four in
// a vector. Weights lie as there, and are handed from lane to lane as there.
#include "tile_params.wgsl"
#output y : f32
#input x
#image w
#input bias
${SOURCES}
alias T = f32;
${EPILOGUE}

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let channel_tile = (tile / params.pixel_tiles) % params.channel_tiles;
  let part = tile / (params.pixel_tiles * params.channel_tiles);  // image and group
  let x_pixels = params.x_height * params.x_width;
  let first = params.pixel_start + (tile % params.pixel_tiles) * ${LANES}u + lane;
  // A pixel past the last is computed from the last, and not written.
  let pixel = min(first, params.pixels - 1u);
  let begin_y = window_begin(vec4<u32>(pixel / params.width), params.stride_y, params.padding_y);
  let begin_x = window_begin(vec4<u32>(pixel % params.width), params.stride_x, params.padding_x);
  var w_start = ((part % params.groups) * params.channel_tiles + channel_tile) * params.taps_y * params.taps_x * params.inputs * ${ROW_QUADS}u;
  var sums = array<vec4<f32>, ${ROW_QUADS}u>();
  for (var tap_y = 0u; tap_y < params.taps_y; tap_y++) {
    for (var tap_x = 0u; tap_x < params.taps_x; tap_x++) {
      let source_y = window_source(begin_y, i32(tap_y) * params.dilation_y, params.stride_y).x;
      let source_x = window_source(begin_x, i32(tap_x) * params.dilation_x, params.stride_x).x;
      let inside = source_y < params.x_height && source_x < params.x_width;
      let source = select(0u, source_y * params.x_width + source_x, inside);
      for (var input = 0u; input < params.inputs; input += ${STEP}u) {
#include "tile_weights.wgsl"
#unroll j ${STEP}
        if (input + ${j}u < params.inputs) {
          let v = select(0.0, f32(x_at((part * params.inputs + input + ${j}u) * x_pixels + source)), inside);
#unroll r ${ROW_QUADS}
          sums[${r}] = fma(ws[${j}u * ${ROW_QUADS}u + ${r}u], vec4<f32>(v), sums[${r}]);
#end
        }
#end
      }
      w_start += params.inputs * ${ROW_QUADS}u;
    }
  }
  if (first >= params.pixels) { return; }
#unroll r ${ROW_QUADS}
  {
    // Channels past the last are looked at as the last, and not written.
    let channel = vec4<u32>(channel_tile * ${ROWS}u + 4u * ${r}u) + vec4<u32>(0u, 1u, 2u, 3u);
    let plane = vec4<u32>(part * params.channels) + min(channel, vec4<u32>(params.channels - 1u));
    var b = vec4<f32>();
    if (params.has_bias != 0u) {
      let own = plane % (params.groups * params.channels);
      b = vec4<f32>(f32(bias_at(own.x)), f32(bias_at(own.y)), f32(bias_at(own.z)), f32(bias_at(own.w)));
    }
    let at = plane * params.pixels + pixel;
    let v = epilogue(sums[${r}] + b, at);
#unroll k 4
    if (channel[${k}] < params.channels) { y_set(at[${k}], v[${k}]); }
#end
  }
#end
}
