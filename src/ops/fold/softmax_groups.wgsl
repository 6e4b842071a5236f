// The same by one workgroup for `rows_each` rows, for long rows on a GPU.
struct Params {
  blocks: u32,
  rows_each: u32,
  rows: u32,
  width: u32,
}
#output y
#input x
${FUNCTIONS}
${SHARED}

// One component a row.
var<workgroup> parts: array<vec4<f32>, WG>;

#main b lane
  if (b >= params.blocks) { return; }
  let first = b * params.rows_each;
  let rows = min(params.rows_each, params.rows - first);

  var tops = vec4<f32>(LOWEST);
  for (var k = 0u; k < rows; k++) { tops[k] = row_top(first + k, lane, WG); }
  parts[lane] = tops;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) { parts[lane] = max(parts[lane], parts[lane + stride]); }
  }
  workgroupBarrier();
  tops = parts[0];
  // Everyone has read the result before the sums go to the same place.
  workgroupBarrier();

  var sums = vec4<f32>();
  for (var k = 0u; k < rows; k++) { sums[k] = row_sum(first + k, tops[k], lane, WG); }
  parts[lane] = sums;
  for (var stride = WG / 2u; stride > 0u; stride /= 2u) {
    workgroupBarrier();
    if (lane < stride) { parts[lane] += parts[lane + stride]; }
  }
  workgroupBarrier();
  write_rows(first, rows, tops, scale_of(parts[0]), lane, WG);
}
