// What a cross entropy and its gradient need to know of each row, by ${LANES} invocations, as a quad:
// its largest logit; what exp(logit - largest) is to be multiplied by, to be the gradient; its loss; and
// what is to be taken from the gradient at its label. Where the label is negative, the row does not
// count.
struct Params {
  rows: u32,
  width: u32,
  rows_that_count: f32,
}
#output stats
#input x
#input label
#include "exponential_sums.wgsl"
#over_lanes top f32 max(a, b)
#over_lanes sum f32 a + b

fn summary(row: u32, top: f32, sum: f32) -> vec4<f32> {
  let chosen = label_at(row);
  if (chosen < 0) { return vec4<f32>(top, 0.0, 0.0, 0.0); }
  // A label that the host could not check must not read past the row.
  let logit = x_at(row * params.width + min(u32(chosen), params.width - 1u));
  let n = params.rows_that_count;
  return vec4<f32>(top, 1.0 / sum / n, (log(sum) + (top - logit)) / n, 1.0 / n);
}

#lanes row lane
  if (row >= params.rows) { return; }
  let top = top_over_lanes(row_top(row, lane), lane);
  let sum = sum_over_lanes(row_sum(row, top, lane), lane);
  if (lane == 0u) { stats_put(row, summary(row, top, sum)); }
}
