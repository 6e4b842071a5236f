// y = (x - mean[c]) * rsqrt(variance[c] + eps) * w[c] + b[c], where x is [batch, channels, inner].
struct Params {
  quads: u32,
  channels: u32,
  inner: u32,
  eps: f32,
}
#output y
#input x
#input mean
#input variance
#input w
#input b

// The factor and the summand of element i.
fn line(i: u32) -> vec2<f32> {
  let c = i / params.inner % params.channels;
  let factor = inverseSqrt(variance_at(c) + params.eps) * ${W};
  return vec2<f32>(factor, ${B} - mean_at(c) * factor);
}

#main q
  if (q >= params.quads) { return; }
  let x = x_quad(q);
  if (params.inner % 4u == 0u) {
    let l = line(4u * q);
    y_put(q, x * l.x + l.y);
    return;
  }
  var v = vec4<f32>();
  for (var k = 0u; k < 4u; k++) {
    let l = line(4u * q + k);
    v[k] = x[k] * l.x + l.y;
  }
  y_put(q, v);
}
