// A convolution of each channel by itself. One invocation walks the window at ${ROWS} neighbouring
// places for one quad of channels.
#include "q8_window.wgsl"

#main tile
  if (tile >= params.tiles) { return; }
  let quad = tile % params.column_quads;
  let first_pixel = (tile / params.column_quads) * ${ROWS}u;
#unroll m ${ROWS}
  let place${m} = place_of(min(first_pixel + ${m}u, params.pixels - 1u));
  var sum${m} = vec4<f32>();
#end
  for (var tap = 0u; tap < params.taps; tap++) {
    let w = weights(tap * params.columns + 4u * quad);
#unroll m ${ROWS}
    {
      let seen = source(place${m}, tap);
      if (seen != NOWHERE) { sum${m} = fma(vec4<f32>(x_quad(seen * params.x_quads + quad)) - params.x_zero, w, sum${m}); }
    }
#end
  }
  let line = line_of(4u * quad);
#unroll m ${ROWS}
  if (first_pixel + ${m}u < params.pixels) {
    y_put((first_pixel + ${m}u) * params.column_quads + quad, finished(sum${m}, line));
  }
#end
}
