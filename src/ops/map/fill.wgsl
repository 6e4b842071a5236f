// y = start + step * i. A step of 0 fills y with one number.
struct Params {
  quads: u32,
  start_float: f32,
  step_float: f32,
  start_int: i32,
  step_int: i32,
}
#output y

#main q
  if (q >= params.quads) { return; }
  let i = vec4<y_t>(vec4<u32>(4u * q) + vec4<u32>(0u, 1u, 2u, 3u));
  y_put(q, params.start_${T_NAME} + params.step_${T_NAME} * i);
}
