// Rows as int8 shows them, each by a range of its own.
#pragma once

#include <limits>

#include "ops/fold/row_steps.h"
#include "wgsl/linear/fake_quantize.h"

namespace highwater {

// How a row is mapped onto integers.
struct Int8Range {
  float lowest = -128, highest = 127;
  float eps = std::numeric_limits<float>::min();  // the least step
};

// Rows of whole quads, at most `width` wide.
class Int8Rows {
 public:
  Int8Rows(Args& a, Tensor y, Tensor x, const Int8Range& range, int64_t width)
      : range_(range),
        lanes_(a.traits().lanes),
        steps_(a, {.bindings = {y, x}, .share_from = 0, .lanes = lanes_}, walk(width / 4)) {}

  void plan(int64_t rows, int64_t width, Plan& plan) const {
    steps_.plan(walk(width / 4), rows,
                {.rows = u32(rows),
                 .row_quads = u32(width / 4),
                 .lowest = range_.lowest,
                 .highest = range_.highest,
                 .eps = range_.eps},
                plan);
  }

 private:
  // Twice along the row: for its range, and to write.
  Walk walk(int64_t row_quads) const {
    return {.elements = row_quads,
            .alone = 2 * ceil_div<int64_t>(row_quads, lanes_),
            .shared = 2 * ceil_div<int64_t>(row_quads, Grid::kWorkgroupSize)};
  }

  Int8Range range_;
  uint32_t lanes_;
  RowSteps<wgsl::linear::fake_quantize> steps_;
};

}  // namespace highwater
