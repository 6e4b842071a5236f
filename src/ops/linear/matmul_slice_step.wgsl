// One quad of the depth, with all rows and quads of columns.
    {
      let at = k + ${j}u * SLICES;
#unroll m ${ROWS}
      let x${m} = x_along(x_start${m}, at);
#end
#unroll c ${QUADS}
      {
#unroll r 4
        let w${r} = ${W}(w_start, w_quad${c}, at, ${r}u);
#end
#unroll m ${ROWS}
        sums[${m}u * ${QUADS}u + ${c}u] = ${ADD}(sums[${m}u * ${QUADS}u + ${c}u], x${m}, w0, w1, w2, w3);
#end
      }
#end
    }
