// The first quad is the gate, the second what it lets through.
#unroll m ${ROWS}
  if (row + ${m}u < params.rows) {
    put(row + ${m}u, column_quad, sum${m}_0 / (1.0 + exp(-sum${m}_0)) * sum${m}_1);
  }
#end
