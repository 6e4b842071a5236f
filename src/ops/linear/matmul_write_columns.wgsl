// Each column quad to its place, after what becomes of it.
#unroll c ${QUADS}
#unroll m ${WRITE_ROWS}
  if (row + ${m}u < params.rows && quad${c} < params.column_quads) {
    put(batch_row + row + ${m}u, quad${c}, epilogue(sums[${m}u * ${QUADS}u + ${c}u], place(batch_row + row + ${m}u, quad${c})));
  }
#end
#end
