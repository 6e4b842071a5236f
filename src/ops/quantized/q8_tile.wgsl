// A convolution with int8 weights; a matrix product is one whose window is a single pixel.
//
// The lanes of a subgroup compute ${ROWS} pixels together, each lane ${QUADS} quads of columns of its
// own, in registers. They all need the same x: each loads a part of it and hands it to the others.
// Channels are walked in steps of ${STEP} quads, of which the last step may have fewer.
#include "q8_window.wgsl"
#include "add_product.wgsl"

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let first_pixel = (tile / params.column_tiles) * ${ROWS}u;
  let first_quad = (tile % params.column_tiles) * (${LANES}u * ${QUADS}u) + lane;
  // Pixels and columns past the last are computed from the last, and not written.
#unroll c ${QUADS}
  let quad${c} = first_quad + ${LANES}u * ${c}u;
  let group${c} = min(quad${c}, params.column_quads - 1u) / params.group_column_quads;
  let column${c} = group${c} * params.group_columns + 4u * (min(quad${c}, params.column_quads - 1u) % params.group_column_quads);
#unroll r 4
  let w_row${c}_${r} = min(column${c} + ${r}u, params.columns - 1u) * params.w_row;
#end
#end
  // Lanes share x only where there is one group.
  let x_group = group0 * params.depth_quads;
#unroll g ${LOADS}
  let place${g} = place_of(min(first_pixel + (${g}u * ${LANES}u + lane) / ${STEP}u, params.pixels - 1u));
  let part${g} = (${g}u * ${LANES}u + lane) % ${STEP}u;
#end
  var sums = array<vec4<f32>, ${ROWS}u * ${QUADS}u>();
  for (var tap = 0u; tap < params.taps; tap++) {
#unroll g ${LOADS}
    let seen${g} = source(place${g}, tap);
#end
    for (var k = 0u; k < params.depth_quads; k += ${STEP}u) {
      var xs = array<vec4<f32>, ${ROWS}u * ${STEP}u>();
#unroll g ${LOADS}
      var mine${g} = vec4<f32>();
      if (seen${g} != NOWHERE) {
        let at${g} = min(k + part${g}, params.depth_quads - 1u);
        let v${g} = vec4<f32>(x_quad(seen${g} * params.x_quads + x_group + at${g})) - params.x_zero;
        mine${g} = ${MASK};
      }
#unroll l ${LANES}
      xs[${g}u * ${LANES}u + ${l}u] = ${FROM_LANE};
#end
#end
#unroll j ${STEP}
      if (k + ${j}u < params.depth_quads) {
        let w_tap = tap * params.depth + 4u * (k + ${j}u);
#unroll c ${QUADS}
        {
#unroll r 4
          let w${r} = weights(w_row${c}_${r} + w_tap);
#end
#unroll m ${ROWS}
          {
            let a = xs[${m}u * ${STEP}u + ${j}u];
            let s = sums[${m}u * ${QUADS}u + ${c}u];
            sums[${m}u * ${QUADS}u + ${c}u] = vec4<f32>(add_product(s.x, a, w0), add_product(s.y, a, w1), add_product(s.z, a, w2), add_product(s.w, a, w3));
          }
#end
        }
#end
      }
#end
    }
  }
#unroll c ${QUADS}
  let line${c} = line_of(column${c});
#unroll m ${ROWS}
  if (first_pixel + ${m}u < params.pixels && quad${c} < params.column_quads) {
    y_put((first_pixel + ${m}u) * params.column_quads + quad${c}, finished(sums[${m}u * ${QUADS}u + ${c}u], line${c}));
  }
#end
#end
}
