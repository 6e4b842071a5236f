// y[i, :] = (q[id[i], :] - 8) * scale[id[i], :]: rows of a 4-bit table. One invocation makes a quad.
struct Params {
  quads: u32,
  row_quads: u32,
  group_quads: u32,
  row_groups: u32,
  table_rows: u32,
}
#output y
#input w : u32
#input scale
#input id

#main q
  if (q >= params.quads) { return; }
  let at = q % params.row_quads;
  // An id that the host could not check must not read past the table.
  let row = clamp(id_at(q / params.row_quads), 0, i32(params.table_rows) - 1);
  let quad = u32(row) * params.row_quads + at;
  let word = w[quad >> 1u] >> (16u * (quad & 1u));
  let nibbles = vec4<i32>((vec4<u32>(word) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(15u));
  let s = scale_at(u32(row) * params.row_groups + at / params.group_quads);
  y_put(q, vec4<f32>(nibbles - vec4<i32>(8)) * s);
}
