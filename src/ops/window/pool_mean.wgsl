// The mean. Of a window that begins or ends in the padding, that part counts or not; what is beyond the
// padding never does.
fn counted(start: vec4<i32>, window: i32, size: i32, padding: i32) -> vec4<i32> {
  let beyond = padding * params.counts_padding;
  return min(start + window, vec4<i32>(size + beyond)) - max(start, vec4<i32>(-beyond));
}

fn begin(w: Windows) -> State { return State(); }
fn merge(a: State, b: State) -> State { return State(a.value + b.value, a.at); }
fn finish(w: Windows, s: State) -> vec4<T> {
  var divisor = vec4<i32>(params.divisor);
  if (params.divisor == 0) {
    divisor = max(counted(w.row, params.window.x, params.x_height, params.grid.z) *
                  counted(w.column, params.window.y, params.x_width, params.grid.w), vec4<i32>(1));
  }
  return s.value / vec4<T>(divisor);
}
