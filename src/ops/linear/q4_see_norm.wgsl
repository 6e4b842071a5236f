// The norm of x, but for a number a row, by which the sums are multiplied in the end.
      sum[1].x = add_product(add_product(sum[1].x, a, a), b, b);
      a *= norm_weight_quad(8u * block + 2u * ${j}u);
      b *= norm_weight_quad(8u * block + 2u * ${j}u + 1u);
