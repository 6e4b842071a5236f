#include <limits>

#include "ops/fold/row_steps.h"
#include "ops/narrow.h"
#include "wgsl/training/ce_gradient.h"
#include "wgsl/training/ce_loss.h"
#include "wgsl/training/ce_rows.h"

namespace highwater {
namespace {

// The cross entropy of rows of logits with their labels, over `n_valid`, and its gradient. A row
// with a negative label does not count.
class FusedCrossEntropy final : public Op {
 public:
  explicit FusedCrossEntropy(Args& a)
      : x_(a.tensor("logits")),
        labels_(a.tensor("labels")),
        rows_that_count_(narrow_to_float(a.number("n_valid"))) {
    const std::vector<Tensor> ys = a.outs();
    loss_ = ys[0];
    gradient_ = ys[1];
    const Dims& bound = a.bound(x_);
    a.require(bound.rank() == 2 && a.bound(labels_).rank() == 1, "logits of dims ", bound,
              " with labels of dims ", a.bound(labels_));
    a.require(is_float(a.dtype(loss_)) && is_float(a.dtype(gradient_)),
              "its results are not of float dtypes");
    if (bound.rank() != 2) return;
    a.read_on_host_if_given(labels_);
    stats_ = a.scratch(DType::Float32, saturating_mul<int64_t>(bound[0], 4));
    rows_ =
        RowSteps<wgsl::training::ce_rows>(a, {.bindings = {stats_, x_, labels_}}, walk(bound[1]));
    gradient_step_ = a.step<wgsl::training::ce_gradient>({gradient_, x_, labels_, stats_});
    loss_step_ = a.step<wgsl::training::ce_loss>({loss_, stats_});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const int64_t rows = x[0], width = x[1];
    if (s[labels_][0] != rows) return fail(s[labels_][0], " labels for logits of dims ", x);
    if (rows > 0 && width == 0) return fail("logits of dims ", x, " leave nothing to choose");
    HW_CHECK(s.check_host_range(labels_, std::numeric_limits<int64_t>::min(), width));
    plan.resize(loss_, {}).resize(gradient_, x).resize(stats_, {4 * rows});
    rows_.plan(walk(width), rows,
               {.rows = u32(rows), .width = u32(width), .rows_that_count = rows_that_count_}, plan);
    plan.run(gradient_step_,
             {.quads = quads_of(x.numel()), .numel = u32(x.numel()), .width = u32(width)},
             Grid::quads(x.numel()));
    plan.run(loss_step_, {.rows = u32(rows)}, Grid::groups(1),
             Rounds{ceil_div<int64_t>(rows, Grid::kWorkgroupSize)});
    return {};
  }

 private:
  // Twice along the row: for its largest, and for the sum.
  static Walk walk(int64_t width) { return Walk::of(width, 2 * ceil_div<int64_t>(width, 4)); }

  Tensor x_;
  Tensor labels_;
  float rows_that_count_;
  Tensor loss_;
  Tensor gradient_;
  Tensor stats_;
  RowSteps<wgsl::training::ce_rows> rows_;
  Step<wgsl::training::ce_gradient> gradient_step_;
  Step<wgsl::training::ce_loss> loss_step_;
};

HIGHWATER_OP(FusedCrossEntropy,
             "et_vk.fused_ce.default(FloatTensor logits, IntTensor labels, float n_valid) -> "
             "(Tensor, Tensor)");

}  // namespace
}  // namespace highwater
