// y[i, :] = (q[id[i], :] - 8 - zero) * scale: rows of a 4-bit table, of which groups of elements share
// a scale. One invocation makes a quad.
struct Params {
  quads: u32,
  width: u32,
  group: u32,
  row_groups: u32,
  table_rows: u32,
  by_quad: u32,   // every quad lies in one row and one group
}
#output y
#input w : u32
#input scale
#input id
#input zero

// Where the row of an element of y begins in the table.
fn table_row(i: u32) -> u32 {
  // An id that the host could not check must not read past the table.
  return u32(clamp(id_at(i / params.width), 0, i32(params.table_rows) - 1));
}

// Element `at` of the table; two are a byte.
fn element(at: u32) -> i32 {
  let swapped = at ^ ${FIRST}u;
  return i32((w_item(swapped >> 3u) >> (4u * (swapped & 7u))) & 15u) - 8;
}

fn scaled(v: vec4<i32>, group: u32) -> vec4<f32> {
  return (vec4<f32>(v) - ${ZERO}) * scale_at(group);
}

#main q
  if (q >= params.quads) { return; }
  var result = vec4<f32>();
  if (params.by_quad != 0u) {
    let row = table_row(4u * q);
    let at = (4u * q) % params.width;
    let start = row * params.width + at;
    let word = w_item(start >> 3u) >> (4u * (start & 7u));
    let nibbles = vec4<i32>((vec4<u32>(word) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(15u)) - vec4<i32>(8);
    result = scaled(nibbles.${ORDER}, row * params.row_groups + at / params.group);
  } else {
    for (var k = 0u; k < 4u; k++) {
      let i = 4u * q + k;
      let row = table_row(i);
      let at = i % params.width;
      result[k] = scaled(vec4<i32>(element(row * params.width + at)), row * params.row_groups + at / params.group).x;
    }
  }
  y_put(q, result);
}
