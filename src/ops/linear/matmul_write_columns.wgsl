// Each column quad to its place.
#unroll c ${QUADS}
#unroll m ${WRITE_ROWS}
  if (row + ${m}u < params.rows && quad${c} < params.column_quads) {
    put(batch_row + row + ${m}u, quad${c}, sums[${m}u * ${QUADS}u + ${c}u]);
  }
#end
#end
