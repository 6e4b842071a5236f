// The norm of rows: x * rsqrt(mean(x^2) + eps) * w.
#pragma once

#include "ops/fold/row_steps.h"
#include "wgsl/fold/rms_norm.h"

namespace highwater {

// Norms rows of whole quads that all have the same weights. `inputs` says what is normed: the
// kernel's text for it, and its bindings.
class NormRows {
 public:
  struct Inputs {
    std::string_view text;
    std::vector<Tensor> bindings;
  };

  // Rows are at most `width` wide.
  NormRows(Args& a, Tensor y, const Inputs& inputs, Tensor w, float eps, int64_t width,
           std::string_view variant = {})
      : eps_(eps),
        steps_(a,
               {.bindings = joined(y, inputs.bindings, w),
                .substitutions = {{"INPUTS", std::string(inputs.text)}},
                .variant = variant,
                .share_from = 0},
               walk(width / 4)) {}

  void plan(int64_t rows, int64_t width, Plan& plan) const {
    steps_.plan(walk(width / 4), rows,
                {.rows = u32(rows),
                 .row_quads = u32(width / 4),
                 .inverse_width = 1.0f / static_cast<float>(width),
                 .eps = eps_},
                plan);
  }

 private:
  // Twice along the row: for its squares, and to write.
  static Walk walk(int64_t row_quads) { return Walk::of(row_quads, 2 * row_quads); }

  static std::vector<Tensor> joined(Tensor y, std::vector<Tensor> inputs, Tensor w) {
    inputs.insert(inputs.begin(), y);
    inputs.push_back(w);
    return inputs;
  }

  float eps_;
  RowSteps<wgsl::fold::rms_norm> steps_;
};

}  // namespace highwater
