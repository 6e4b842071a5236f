// Of a gate and what it lets through, half of the invocations has each: both halves get both.
#unroll m ${WRITE_ROWS}
  w_tile[${m}u * WG + lane] = sums[2u * ${m}u];
#end
  workgroupBarrier();
#unroll m ${WRITE_ROWS}
  sums[2u * ${m}u + 1u] = w_tile[${m}u * WG + (lane ^ 8u)];
#end
