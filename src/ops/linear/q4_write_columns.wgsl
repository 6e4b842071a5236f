// Each column quad to its place.
#unroll c ${QUADS}
  if (quad${c} < params.column_quads) {
    var bias${c} = vec4<f32>();
    if (params.has_bias != 0u) { bias${c} = vec4<f32>(bias_quad(quad${c})); }
#unroll m ${ROWS}
    if (row + ${m}u < params.rows) { put(row + ${m}u, quad${c}, sum${m}_${c} + bias${c}); }
#end
  }
#end
