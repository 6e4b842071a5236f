// y[m, n] = sum over k of x[m, k] * (q[n, k] - 8) * scale[k / group, n] (+ bias[n]), for 4-bit q.
//
// The lanes of a subgroup compute ${ROWS} rows together, each lane ${QUADS} quads of columns of its
// own, in registers. They all need the same x: each loads a part of it and hands it to the others.
// k is walked in blocks of 32, which are one vec4<u32> of each column, and within a block in steps
// of ${WORDS} words of 8. Needs whole blocks, whole quads of columns, and groups of whole blocks.
//
// The columns of up to three layers with the same input may stand side by side in w; each has an
// output of its own.
struct Params {
  tiles: u32,
  rows: u32,
  column_tiles: u32,
  column_quads: u32,    // of one layer, if ${LAYERS} are read together
  blocks: u32,
  blocks_per_group: u32,
  scale_row_quads: u32,
  has_bias: u32,
  output_start: vec4<u32>,
  output_end: vec4<u32>,
}
#unroll o ${OUTPUTS}
#output y${o}
#end
#input x
#image w : vec4<u32>
#image scale
#input bias

const PARTS = 2u * ${WORDS}u;  // quads of one row of x in a step

// How far each of a word's eight nibbles is from its upper end.
const LOW = vec4<u32>(${LOW_SHIFTS});
const HIGH = vec4<u32>(${HIGH_SHIFTS});

fn nibbles(word: u32, shifts: vec4<u32>) -> vec4<f32> {
  return vec4<f32>((vec4<i32>(bitcast<i32>(word)) << shifts) >> vec4<u32>(28u));
}

fn add_product(sum: f32, a: vec4<f32>, b: vec4<f32>) -> f32 {
  return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, sum))));
}

fn put(row: u32, quad: u32, v: vec4<f32>) {
#unroll o ${OUTPUTS}
  if (quad < params.output_end[${o}]) {
    let width = params.output_end[${o}] - params.output_start[${o}];
    y${o}_put(row * width + quad - params.output_start[${o}], v);
    return;
  }
#end
}

#lanes tile lane
  if (tile >= params.tiles) { return; }
  let row = (tile / params.column_tiles) * ${ROWS}u;
  let first_quad = (tile % params.column_tiles) * (${LANES}u * ${QUADS}u / ${LAYERS}u) + lane;
  // Rows and columns past the last are computed from the last, and not written.
#unroll c ${QUADS}
  let quad${c} = first_quad + ${LANES}u * (${c}u / ${LAYERS}u);
  let w_quad${c} = min(quad${c}, params.column_quads - 1u) + (${c}u % ${LAYERS}u) * params.column_quads;
#end
#unroll g ${LOADS}
  let x_at${g} = min(row + (${g}u * ${LANES}u + lane) / PARTS, params.rows - 1u) * 8u * params.blocks + (${g}u * ${LANES}u + lane) % PARTS;
#end
  var sums: array<vec4<f32>, ${ROWS}u * ${QUADS}u>;
  for (var block = 0u; block < params.blocks; block++) {
#unroll c ${QUADS}
#unroll r 4
    // A nibble stands for its value less 8: with its upper bit turned it is that in two's complement.
    var words${c}_${r} = w_texel((4u * w_quad${c} + ${r}u) * params.blocks + block) ^ vec4<u32>(0x88888888u);
#end
#end
    var parts = array<vec4<f32>, ${ROWS}u * ${QUADS}u>();
    for (var word = 0u; word < 4u; word += ${WORDS}u) {
      var xs: array<vec4<f32>, ${ROWS}u * PARTS>;
#unroll g ${LOADS}
      let mine${g} = x_quad(x_at${g} + 8u * block + 2u * word);
#unroll l ${LANES}
      xs[${g}u * ${LANES}u + ${l}u] = ${FROM_LANE};
#end
#end
#unroll j ${WORDS}
#unroll c ${QUADS}
#unroll r 4
      {
        let low = nibbles(words${c}_${r}[${j}], LOW);
        let high = nibbles(words${c}_${r}[${j}], HIGH);
#unroll m ${ROWS}
        parts[${m}u * ${QUADS}u + ${c}u][${r}] = add_product(add_product(parts[${m}u * ${QUADS}u + ${c}u][${r}], xs[${m}u * PARTS + 2u * ${j}u], low), xs[${m}u * PARTS + 2u * ${j}u + 1u], high);
#end
      }
#end
#end
#end
      // The next step finds its word in front.
#unroll c ${QUADS}
#unroll r 4
      words${c}_${r} = words${c}_${r}.yzwx;
#end
#end
    }
    let group = block / params.blocks_per_group;
#unroll c ${QUADS}
    let scale${c} = vec4<f32>(scale_quad(group * params.scale_row_quads + w_quad${c}));
#unroll m ${ROWS}
    sums[${m}u * ${QUADS}u + ${c}u] = fma(scale${c}, parts[${m}u * ${QUADS}u + ${c}u], sums[${m}u * ${QUADS}u + ${c}u]);
#end
#end
  }
#include WRITE
}
