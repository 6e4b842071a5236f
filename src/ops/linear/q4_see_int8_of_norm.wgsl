// What int8 shows of the norm of x.
      a = as_seen(a * norm * norm_weight_quad(8u * block + 2u * ${j}u), range);
      b = as_seen(b * norm * norm_weight_quad(8u * block + 2u * ${j}u + 1u), range);
