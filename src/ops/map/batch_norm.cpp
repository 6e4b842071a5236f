#include "wgsl/map/batch_norm.h"

#include "graph/op.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// (x, w, b, mean, variance, momentum, eps, [y, two empty tensors]): the statistics are those of
// training, so that this is a line for each channel.
class BatchNorm final : public Op {
 public:
  explicit BatchNorm(Args& a)
      : x_(a.tensor("input")),
        w_(a.optional_tensor("weight")),
        b_(a.optional_tensor("bias")),
        mean_(a.tensor("running_mean")),
        variance_(a.tensor("running_var")),
        eps_(narrow_to_float(a.number("eps"))),
        outs_(a.outs()) {
    a.require(is_float(a.dtype(x_)) && a.bound(x_).rank() >= 2, "an input of ", a.bound(x_));
    a.require(!outs_.empty(), "it has no outputs");
    for (size_t i = 1; i < outs_.size(); ++i) {
      empty_.push_back(a.bound(outs_[i]));
      a.require(empty_.back().numel() == 0, "output ", i, " of ", empty_.back(),
                " is for training only");
    }
    if (outs_.empty()) return;
    // A kernel without weights is bound to the mean in their place, and does not look.
    step_ = a.step<wgsl::map::batch_norm>(
        {outs_[0], x_, mean_, variance_, w_.value_or(mean_), b_.value_or(mean_)},
        {{"W", w_ ? "w_at(c)" : "1.0"}, {"B", b_ ? "b_at(c)" : "0.0"}});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    for (const auto& per_channel : {std::optional(mean_), std::optional(variance_), w_, b_}) {
      if (per_channel && s[*per_channel].numel() != x[1]) {
        return fail("dims ", s[*per_channel], " for ", x[1], " channels");
      }
    }
    plan.resize(outs_[0], x);
    for (size_t i = 1; i < outs_.size(); ++i) plan.resize(outs_[i], empty_[i - 1]);
    plan.run(step_,
             {.quads = quads_of(x.numel()),
              .channels = u32(x[1]),
              .inner = u32(x.product(2, x.rank())),
              .eps = eps_},
             Grid::quads(x.numel()));
    return {};
  }

 private:
  Tensor x_;
  std::optional<Tensor> w_;
  std::optional<Tensor> b_;
  Tensor mean_;
  Tensor variance_;
  float eps_;
  std::vector<Tensor> outs_;
  std::vector<Dims> empty_;
  Step<wgsl::map::batch_norm> step_;
};

HIGHWATER_OP(BatchNorm,
             "aten._native_batch_norm_legit_no_training.default(FloatTensor input, "
             "FloatTensor? weight, FloatTensor? bias, FloatTensor running_mean, "
             "FloatTensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)");

}  // namespace
}  // namespace highwater
