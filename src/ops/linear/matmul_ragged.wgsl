// Rows of x, w or y may end inside a quad, and so the next begin there: all of them are reached element by
// element. Past the end of the depth both x and w are 0: what lies there may be infinite.
#output y : f32
#input x
#input w
#input bias

fn x_start(row: u32) -> u32 { return row * params.depth; }
fn x_along(start: u32, k: u32) -> vec4<f32> {
  return vec4<f32>(x_or_0(start, 4u * k), x_or_0(start, 4u * k + 1u), x_or_0(start, 4u * k + 2u), x_or_0(start, 4u * k + 3u));
}
fn x_or_0(start: u32, k: u32) -> f32 {
  return select(0.0, x_at(start + min(k, params.depth - 1u)), k < params.depth);
}

fn w_by_column(start: u32, quad: u32, k: u32, r: u32) -> vec4<f32> {
  let column = start + min(4u * quad + r, params.columns - 1u) * params.depth;
  return vec4<f32>(w_or_0(column, 4u * k), w_or_0(column, 4u * k + 1u), w_or_0(column, 4u * k + 2u), w_or_0(column, 4u * k + 3u));
}
fn w_or_0(column: u32, k: u32) -> f32 {
  return select(0.0, w_at(column + min(k, params.depth - 1u)), k < params.depth);
}
fn w_by_depth(start: u32, quad: u32, k: u32, r: u32) -> vec4<f32> {
  let row = start + min(4u * k + r, params.depth - 1u) * params.columns;
  let last = params.columns - 1u;
  let c = 4u * quad;
  let w = vec4<f32>(w_at(row + c), w_at(row + min(c + 1u, last)), w_at(row + min(c + 2u, last)), w_at(row + min(c + 3u, last)));
  return select(vec4<f32>(), w, 4u * k + r < params.depth);
}

fn bias_along(start: u32, quad: u32) -> vec4<f32> {
  var b = vec4<f32>();
  for (var i = 0u; i < 4u; i++) {
    b[i] = bias_at(start + min(4u * quad + i, params.columns - 1u) * params.bias_column);
  }
  return b;
}

fn put(row: u32, quad: u32, v: vec4<f32>) {
  for (var i = 0u; i < 4u; i++) {
    if (4u * quad + i < params.columns) { y_set(row * params.columns + 4u * quad + i, v[i]); }
  }
}

// Where y has the columns of a quad; for those past the last, the last.
fn place(row: u32, quad: u32) -> vec4<u32> {
  return vec4<u32>(row * params.columns) + min(4u * quad + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.columns - 1u));
}
