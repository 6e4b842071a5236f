// Of each pair of quads the first is the gate, the second what it lets through.
#unroll p ${PAIRS}
#unroll m ${WRITE_ROWS}
  if (row + ${m}u < params.rows && first_quad + ${LANES}u * ${p}u < params.column_quads) {
    let gate = sums[${m}u * ${QUADS}u + 2u * ${p}u];
    put(row + ${m}u, first_quad + ${LANES}u * ${p}u, gate / (1.0 + exp(-gate)) * sums[${m}u * ${QUADS}u + 2u * ${p}u + 1u]);
  }
#end
#end
