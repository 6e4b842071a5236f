// Columns of up to three outputs stand side by side: output o has the quads of columns from
// `params.output_start[o]` up to `params.output_end[o]`.
#unroll o ${OUTPUTS}
#output y${o}
#end

fn put(row: u32, quad: u32, v: vec4<f32>) {
#unroll o ${OUTPUTS}
  if (quad < params.output_end[${o}]) {
    let width = params.output_end[${o}] - params.output_start[${o}];
    y${o}_put(row * width + quad - params.output_start[${o}], v);
    return;
  }
#end
}
