// What an invocation has found, with its factor and its bias.
#unroll c ${OWN_QUADS}
#unroll m ${WRITE_ROWS}
  sums[${m}u * ${QUADS}u + ${c}u] *= params.alpha;
#end
#end
  if (params.beta != 0.0) {
#unroll c ${OWN_QUADS}
    {
      var b = params.beta * bias_along(0u, w_quad${c});
#unroll m ${WRITE_ROWS}
${NEXT_BIAS}
      sums[${m}u * ${QUADS}u + ${c}u] += b;
#end
    }
#end
  }
