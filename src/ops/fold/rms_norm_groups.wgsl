// The same by one workgroup a row, which a GPU prefers: neighbouring invocations read neighbouring
// quads, and the sums meet in workgroup memory.
struct Params {
  rows: u32,
  row_quads: u32,
  inverse_width: f32,
  eps: f32,
}
#output y
#include INPUTS
#input w

var<workgroup> sums: array<f32, WG>;

#main row lane
  if (row >= params.rows) { return; }
  let start = row * params.row_quads;
  var sum = vec4<f32>();
  for (var i = lane; i < params.row_quads; i += WG) {
    let v = take(start + i);
    sum += v * v;
  }
  sums[lane] = sum.x + sum.y + sum.z + sum.w;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) { sums[lane] += sums[lane + stride]; }
  }
  workgroupBarrier();
  let scale = inverseSqrt(sums[0] * params.inverse_width + params.eps);
  for (var i = lane; i < params.row_quads; i += WG) {
    y_put(start + i, again(start + i) * scale * w_quad(i));
  }
}
