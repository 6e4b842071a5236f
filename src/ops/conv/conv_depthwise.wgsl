// Convolution where every channel of y looks at one channel of x. An invocation walks the windows of
// four pixels of one channel; pixels are counted through the whole image.
struct Params {
  items: u32,
  plane_quads: u32,    // of a channel of y
  channels: u32,       // of y
  channels_each: u32,  // of y, that look at the same channel of x
#include "window_params.wgsl"
}
#output y : f32
#input x
#input w
#input bias
${SOURCES}
${EPILOGUE}
alias T = f32;
#include "gathered.wgsl"

#main i
  if (i >= params.items) { return; }
  let plane = i / params.plane_quads;
  let channel = plane % params.channels;
  let first = 4u * (i % params.plane_quads);
  // Pixels past the last are computed from the last, and not written.
  let pixel = min(vec4<u32>(first) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.pixels - 1u));
  let begin_y = window_begin(pixel / params.width, params.stride_y, params.padding_y);
  let begin_x = window_begin(pixel % params.width, params.stride_x, params.padding_x);
  let x_start = vec4<u32>(plane / params.channels_each * params.x_height * params.x_width);
  var tap = channel * params.taps_y * params.taps_x;
  var sum = vec4<f32>();
  for (var tap_y = 0u; tap_y < params.taps_y; tap_y++) {
    let sy = window_source(begin_y, i32(tap_y) * params.dilation_y, params.stride_y);
    for (var tap_x = 0u; tap_x < params.taps_x; tap_x++) {
      let sx = window_source(begin_x, i32(tap_x) * params.dilation_x, params.stride_x);
      let inside = (sy < vec4<u32>(params.x_height)) & (sx < vec4<u32>(params.x_width));
      let at = x_start + select(vec4<u32>(), sy * params.x_width + sx, inside);
      sum = fma(vec4<f32>(f32(w_at(tap))), select(vec4<f32>(), gathered(at), inside), sum);
      tap++;
    }
  }
  if (params.has_bias != 0u) { sum += f32(bias_at(channel)); }
  let v = epilogue(sum, plane * params.pixels + pixel);
#unroll k 4
  if (first + ${k}u < params.pixels) { y_set(plane * params.pixels + first + ${k}u, v[${k}]); }
#end
}
