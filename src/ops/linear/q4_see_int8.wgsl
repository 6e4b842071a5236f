// What int8 shows of x.
      a = as_seen(a, range);
      b = as_seen(b, range);
