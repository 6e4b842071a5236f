// Each column quad to its place.
#unroll c ${QUADS}
  if (quad${c} < params.column_quads) {
    var bias${c} = vec4<f32>();
    if (params.has_bias != 0u) { bias${c} = vec4<f32>(bias_quad(quad${c})); }
#unroll m ${WRITE_ROWS}
    if (row + ${m}u < params.rows) { put(row + ${m}u, quad${c}, sums[${m}u * ${QUADS}u + ${c}u] + bias${c}); }
#end
  }
#end
