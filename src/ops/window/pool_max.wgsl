// The largest. Of equal elements it is the first; a NaN is larger than all, and the last one stays.

// The first place inside of x for a window that begins at `start`.
fn first_inside(start: vec4<i32>, apart: i32) -> vec4<i32> {
  return select(start, start + (apart - 1 - start) / apart * apart, start < vec4<i32>());
}

// By its bits, because implementations may take it that there are none.
fn is_nan(v: vec4<T>) -> vec4<bool> {
  return ${IS_NAN};
}

fn begin(w: Windows) -> State {
  let row = first_inside(w.row, params.window.z);
  let column = first_inside(w.column, params.window.w);
  return State(vec4<T>(bitcast<T>(params.lowest)), row * params.x_width + column);
}
fn merge(a: State, b: State) -> State {
  let later = b.at > a.at;
  let better = (b.value > a.value) | ((b.value == a.value) & !later);
  let chosen = select(better & !is_nan(a.value), later | !is_nan(a.value), is_nan(b.value));
  return State(select(a.value, b.value, chosen), select(a.at, b.at, chosen));
}
fn finish(w: Windows, s: State) -> vec4<T> { return s.value; }
