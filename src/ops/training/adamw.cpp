#include "wgsl/training/adamw.h"

#include <array>

#include "graph/op.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// Its results are the tensors that it writes into.
class AdamwStep final : public Op {
 public:
  explicit AdamwStep(Args& a)
      : state_{a.mutated("param"), a.mutated("m"), a.mutated("v")},
        gradient_(a.tensor("grad")),
        ys_(a.outs()),
        step_(a.step<wgsl::training::adamw>({state_[0], state_[1], state_[2], gradient_})) {
    const auto [p, m, v] = state_;
    a.require(p.id != m.id && p.id != v.id && m.id != v.id, "param, m and v are not three tensors");
    for (Tensor t : state_) a.require(t.id != gradient_.id, "grad is one of param, m and v");
    for (size_t i = 0; i < state_.size(); ++i) a.alias_mutated(ys_[i], state_[i]);
    const double rate = a.number("lr"), beta1 = a.number("beta1"), beta2 = a.number("beta2");
    params_.keep = narrow_to_float(1 - rate * a.number("weight_decay"));
    params_.rate = narrow_to_float(rate);
    params_.eps = narrow_to_float(a.number("eps"));
    params_.mean_keep = narrow_to_float(beta1);
    params_.mean_take = narrow_to_float(1 - beta1);
    params_.square_keep = narrow_to_float(beta2);
    params_.square_take = narrow_to_float(1 - beta2);
    params_.mean_bias = narrow_to_float(a.number("bias_correction1"));
    params_.square_bias = narrow_to_float(a.number("bias_correction2"));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& gradient = s[gradient_];
    for (size_t i = 0; i < state_.size(); ++i) {
      if (s[state_[i]] != gradient) {
        return fail("a gradient of dims ", gradient, " for a state of dims ", s[state_[i]]);
      }
      plan.resize(ys_[i], gradient);
    }
    wgsl::training::adamw::Params params = params_;
    params.quads = quads_of(gradient.numel());
    plan.run(step_, params, Grid::quads(gradient.numel()));
    return {};
  }

 private:
  std::array<Tensor, 3> state_;
  Tensor gradient_;
  std::vector<Tensor> ys_;
  Step<wgsl::training::adamw> step_;
  wgsl::training::adamw::Params params_{};
};

HIGHWATER_OP(AdamwStep,
             "et_vk.adamw_step.default(FloatTensor(a!) param, FloatTensor(b!) m, "
             "FloatTensor(c!) v, FloatTensor grad, float lr, float beta1, float beta2, float eps, "
             "float weight_decay, float bias_correction1, float bias_correction2) -> "
             "(Tensor(a!), Tensor(b!), Tensor(c!))");

}  // namespace
}  // namespace highwater
