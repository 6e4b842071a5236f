// All invocations walk the row for its range, and, where its norm is asked for, its squares.
  {
    // The range always holds 0.
    var low = vec4<f32>();
    var high = vec4<f32>();
    var squares = vec4<f32>();
    for (var i = lane; i < 8u * params.blocks; i += WG) {
      let x = vec4<f32>(x_quad(x_at0 + i));
      let v = ${WEIGHED};
      squares = fma(x, x, squares);
      low = min(low, v);
      high = max(high, v);
    }
    found[lane] = vec4<f32>(min(min(low.x, low.y), min(low.z, low.w)), max(max(high.x, high.y), max(high.z, high.w)), dot(squares, vec4<f32>(1.0)), 0.0);
  }
  workgroupBarrier();
  for (var half = WG / 2u; half > 0u; half /= 2u) {
    if (lane < half) {
      let a = found[lane];
      let b = found[lane + half];
      found[lane] = vec4<f32>(min(a.x, b.x), max(a.y, b.y), a.z + b.z, 0.0);
    }
    workgroupBarrier();
  }
  let looked = found[0];
  let norm = ${NORM};
  let range = range_of(norm * looked.x, norm * looked.y, -128.0, 127.0, params.range_eps);
  workgroupBarrier();
