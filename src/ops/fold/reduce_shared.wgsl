// What is known of four outputs after some of their elements: a value, and where it was found.
struct State {
  value: vec4<T>,
  at: vec4<u32>,
}

// The better of two finds; of equals the first.
fn pick(a: State, b: State, better: vec4<bool>) -> State {
  let chosen = better | ((a.value == b.value) & (b.at < a.at));
  return State(select(a.value, b.value, chosen), select(a.at, b.at, chosen));
}

fn take(s: State, v: vec4<T>, j: u32) -> State {
  return merge(s, State(v, vec4<u32>(j)));
}

fn kept_source(i: u32) -> u32 {
  var rest = i;
  var offset = 0u;
  for (var d = params.kept_rank; d > 0u; d--) {
    let k = d - 1u;
    let size = params.kept_size[k >> 2u][k & 3u];
    offset += (rest % size) * params.kept_stride[k >> 2u][k & 3u];
    rest /= size;
  }
  return offset;
}

// Where round i over the reduced dims but the innermost begins.
fn reduced_source(i: u32) -> u32 {
  var rest = i;
  var offset = 0u;
  for (var d = params.reduced_rank; d > 1u; d--) {
    let k = d - 2u;
    let size = params.reduced_size[k >> 2u][k & 3u];
    offset += (rest % size) * params.reduced_stride[k >> 2u][k & 3u];
    rest /= size;
  }
  return offset;
}

// Where the four outputs of quad q begin in x; outputs past the last repeat it.
fn bases(q: u32) -> vec4<u32> {
  let last = params.outputs - 1u;
  return vec4<u32>(kept_source(min(4u * q, last)), kept_source(min(4u * q + 1u, last)),
                   kept_source(min(4u * q + 2u, last)), kept_source(min(4u * q + 3u, last)));
}

fn gathered(at: vec4<u32>) -> vec4<T> {
  return vec4<T>(T(x_at(at.x)), T(x_at(at.y)), T(x_at(at.z)), T(x_at(at.w)));
}
