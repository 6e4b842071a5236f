// The same as conv_depthwise where windows lie close together along a row: an invocation takes ${QUADS}
// times four pixels of one row of y, and loads the ${SPAN} elements of a row of x that they look at, and
// the weights, only once.
struct Params {
  items: u32,
  row_parts: u32,      // of a row of y
  height: u32,         // of y
  channels: u32,       // of y
  channels_each: u32,  // of y, that look at the same channel of x
#include "window_params.wgsl"
}
#output y : f32
#input x
#input w
#input bias
${EPILOGUE}
alias T = f32;

#main i
  if (i >= params.items) { return; }
  let first = ${QUADS}u * 4u * (i % params.row_parts);
  let row = i / params.row_parts % params.height;
  let plane = i / (params.row_parts * params.height);
  let channel = plane % params.channels;
  let x_start = plane / params.channels_each * params.x_height * params.x_width;
  let begin_y = i32(row) * params.stride_y - params.padding_y;
  // What lies before x is a coordinate past its size.
  let begin_x = u32(i32(first * ${STRIDE}u) - params.padding_x);
  var tap = channel * params.taps_y * ${TAPS}u;
  var sums = array<vec4<f32>, ${QUADS}u>();
  for (var tap_y = 0u; tap_y < params.taps_y; tap_y++) {
    let sy = u32(begin_y + i32(tap_y) * params.dilation_y);
    let width = select(0u, params.x_width, sy < params.x_height);
    let start = x_start + min(sy, params.x_height - 1u) * params.x_width;
    var v = array<f32, ${SPAN}u>();
#unroll c ${SPAN}
    v[${c}] = select(0.0, x_at(start + min(begin_x + ${c}u, params.x_width - 1u)), begin_x + ${c}u < width);
#end
#unroll t ${TAPS}
    {
      let w = vec4<f32>(f32(w_at(tap + ${t}u)));
#unroll c ${QUADS}
      sums[${c}] = fma(w, vec4<f32>(v[${t}u + 4u * ${c}u * ${STRIDE}u], v[${t}u + (4u * ${c}u + 1u) * ${STRIDE}u], v[${t}u + (4u * ${c}u + 2u) * ${STRIDE}u], v[${t}u + (4u * ${c}u + 3u) * ${STRIDE}u]), sums[${c}]);
#end
    }
#end
    tap += ${TAPS}u;
  }
  var b = 0.0;
  if (params.has_bias != 0u) { b = f32(bias_at(channel)); }
  let at = plane * params.pixels + row * params.width;
#unroll c ${QUADS}
  let v${c} = epilogue(sums[${c}] + b, at + min(vec4<u32>(first + 4u * ${c}u) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.width - 1u)));
#unroll k 4
  if (first + 4u * ${c}u + ${k}u < params.width) { y_set(at + first + 4u * ${c}u + ${k}u, v${c}[${k}]); }
#end
#end
}
