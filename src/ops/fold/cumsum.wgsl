// y = the sums of x along one dim, each of all elements up to its own. How an invocation walks depends
// on where neighbours along the dim lie: see `mode`.
struct Params {
  items: u32,  // invocations
  numel: u32,
  count: u32,  // elements along the dim
  inner: u32,  // how far apart they are
  mode: u32,
}
#output y
#input x
alias T = ${T};

// Four neighbouring sums lie in one quad, all along the dim: an invocation makes such a column.
const COLUMNS: u32 = 1u;
// The dim is the last: an invocation makes four rows, which are whole quads whatever their length.
const ROWS: u32 = 2u;
// Otherwise each of the four elements of a quad is a sum of its own.

fn columns(i: u32) {
  let quads = params.inner / 4u;
  let first = i / quads * params.count * quads + i % quads;
  var sum = vec4<T>();
  for (var j = 0u; j < params.count; j++) {
    sum += vec4<T>(x_quad(first + j * quads));
    y_put(first + j * quads, vec4<y_t>(sum));
  }
}

fn rows(i: u32) {
  let first = i * params.count;
  let quads = min(params.count, (params.numel + 3u) / 4u - first);
  var place = 0u;
  var sum = T();
  for (var q = first; q < first + quads; q++) {
    let v = vec4<T>(x_quad(q));
    var sums = vec4<T>();
#unroll e 4
    if (place == params.count) {
      place = 0u;
      sum = T();
    }
    place++;
    sum += v[${e}];
    sums[${e}] = sum;
#end
    y_put(q, vec4<y_t>(sums));
  }
}

fn element(i: u32) -> T {
  var sum = T();
  let place = i / params.inner % params.count;
  for (var j = 0u; j <= place; j++) { sum += T(x_at(i - j * params.inner)); }
  return sum;
}

#main i
  if (i >= params.items) { return; }
  if (params.mode == COLUMNS) {
    columns(i);
  } else if (params.mode == ROWS) {
    rows(i);
  } else {
    var sums = vec4<T>();
    for (var e = 0u; e < 4u; e++) { sums[e] = element(min(4u * i + e, params.numel - 1u)); }
    y_put(i, vec4<y_t>(sums));
  }
}
