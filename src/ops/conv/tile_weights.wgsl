// The weights of ${STEP} inputs for a tile of channels: each lane loads a part, and hands it to the others.
        var ws = array<vec4<f32>, ${STEP}u * ${ROW_QUADS}u>();
#unroll g ${LOADS}
        let mine${g} = w_quad(w_start + min(input * ${ROW_QUADS}u + ${g}u * ${LANES}u + lane, params.inputs * ${ROW_QUADS}u - 1u));
#unroll l ${LANES}
        ws[${g}u * ${LANES}u + ${l}u] = ${FROM_LANE};
#end
#end
