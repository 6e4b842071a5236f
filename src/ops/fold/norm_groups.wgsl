// The same by one workgroup for four rows, for long rows on a GPU.
struct Params {
  quads: u32,
  rows: u32,
  width: u32,
  groups: u32,
  group_weights: u32,
  share: u32,
  eps: f32,
}
#output y
#output mean
#output scale
#input x
#input w
#input b
${SHARED}

// One component a row.
var<workgroup> parts: array<vec4<f32>, WG>;

#main q lane
  if (q >= params.quads) { return; }
  let first = 4u * q;
  let rows = min(4u, params.rows - first);

  var sums = vec4<f32>();
  for (var k = 0u; k < rows; k++) { sums[k] = row_sum(first + k, lane, WG); }
  parts[lane] = sums;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) { parts[lane] += parts[lane + stride]; }
  }
  workgroupBarrier();
  let means = parts[0] / f32(params.width);
  // Everyone has read the result before the spreads go to the same place.
  workgroupBarrier();

  var spreads = vec4<f32>();
  for (var k = 0u; k < rows; k++) { spreads[k] = row_spread(first + k, means[k], lane, WG); }
  parts[lane] = spreads;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) { parts[lane] += parts[lane + stride]; }
  }
  workgroupBarrier();
  let scales = inverseSqrt(parts[0] / f32(params.width) + params.eps);
  if (lane == 0u) {
    mean_put(q, means);
    scale_put(q, scales);
  }
  write_rows(first, rows, means, scales, lane, WG);
}
