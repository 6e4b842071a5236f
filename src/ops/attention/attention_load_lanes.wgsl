// Each lane a part of them, for the others to take from its registers.
    var my_keys: array<vec4<f32>, ${LOADS}>;
    var my_values: array<vec4<f32>, ${LOADS}>;
#unroll g ${LOADS}
    {
      let i = ${g}u * ${LANES}u + lane;
      let kv_at = kv_start + min(start + i / ${QUADS}u, params.context - 1u) * params.kv_position + i % ${QUADS}u;
      my_keys[${g}] = k_quad(kv_at);
      my_values[${g}] = v_quad(kv_at);
    }
#end
