// Each column quad to its place.
#unroll c ${QUADS}
  if (quad${c} < params.column_quads) {
    let bias${c} = ${BIAS};
#unroll m ${WRITE_ROWS}
    if (row + ${m}u < params.rows) { put(row + ${m}u, quad${c}, sums[${m}u * ${QUADS}u + ${c}u] + bias${c} + ${RESIDUAL}); }
#end
  }
#end
