// Linear layers with 4-bit weights.
#include <algorithm>

#include "ops/linear/q4_matmul.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

class LinearQ4 : public Op {
 public:
  Status plan(const Shapes& s, Plan& plan) const override {
    if (residual_) {
      Dims y = s[x_];
      if (!y.empty()) y[y.rank() - 1] = s.bound(*residual_).back();
      if (s[*residual_] != y) {
        return fail("a residual of dims ", s[*residual_], " for a result of ", y);
      }
    }
    return matmul_.plan(s[x_], plan);
  }

 protected:
  LinearQ4(Args& a, const Q4Matmul::Operands& operands)
      : x_(operands.input.x), residual_(operands.residual), matmul_(a, operands) {}

 private:
  Tensor x_;
  std::optional<Tensor> residual_;
  Q4Matmul matmul_;
};

// What our own ops see of their input.
Q4Input::Operands seen_input(Args& a) {
  Q4Input::Operands input{.x = a.tensor("self"), .norm_weight = a.optional_tensor("norm_weight")};
  if (input.norm_weight) input.norm_eps = narrow_to_float(a.number("norm_eps"));
  if (a.flag("as_int8")) {
    input.int8 = Int8Range{.eps = narrow_to_float(a.number_or("int8_eps", Int8Range().eps))};
  }
  return input;
}

class LinearQ4gsw final : public LinearQ4 {
 public:
  explicit LinearQ4gsw(Args& a)
      : LinearQ4(a, {.input = {.x = a.tensor("self")},
                     .w = a.tensor("weights"),
                     .scale = a.tensor("weight_scales"),
                     .bias = a.optional_tensor("bias"),
                     .ys = {a.out()},
                     .group = a.integer("group_size"),
                     .depth = a.last_dim("self")}) {}
};

// The same with what comes before and after it.
class FusedLinearQ4gsw final : public LinearQ4 {
 public:
  explicit FusedLinearQ4gsw(Args& a)
      : LinearQ4(a, {.input = seen_input(a),
                     .w = a.tensor("weights"),
                     .scale = a.tensor("weight_scales"),
                     .bias = a.optional_tensor("bias"),
                     .ys = {a.out()},
                     .group = a.integer("group_size"),
                     .depth = a.last_dim("self"),
                     .residual = a.optional_tensor("residual")}) {}
};

// One scale a column, and the nibbles the other way round.
class LinearQcs4w final : public LinearQ4 {
 public:
  explicit LinearQcs4w(Args& a)
      : LinearQ4(a, {.input = {.x = a.tensor("self")},
                     .w = a.tensor("weight"),
                     .scale = a.tensor("scales"),
                     .bias = std::nullopt,
                     .ys = {a.out()},
                     .group = std::max<int64_t>(a.last_dim("self"), 1),
                     .depth = a.last_dim("self"),
                     .order = NibbleOrder::HighFirst}) {}
};

// Several layers with the same input.
class SharedLinearQ4gsw final : public LinearQ4 {
 public:
  explicit SharedLinearQ4gsw(Args& a)
      : LinearQ4(a, {.input = seen_input(a),
                     .w = a.tensor("weights"),
                     .scale = a.tensor("weight_scales"),
                     .bias = std::nullopt,
                     .ys = a.outs(),
                     .group = a.integer("group_size"),
                     .depth = a.last_dim("self")}) {}
};

// A gate layer, the layer it gates, and silu(gate) * the other.
class SwigluLinearQ4gsw final : public LinearQ4 {
 public:
  explicit SwigluLinearQ4gsw(Args& a)
      : LinearQ4(a, {.input = seen_input(a),
                     .w = a.tensor("weights"),
                     .scale = a.tensor("weight_scales"),
                     .bias = std::nullopt,
                     .ys = {a.out()},
                     .group = a.integer("group_size"),
                     .depth = a.last_dim("self"),
                     .swiglu = true}) {}
};

HIGHWATER_OP(LinearQ4gsw,
             "et_vk.linear_q4gsw.default(FloatTensor self, IntTensor weights, "
             "FloatTensor weight_scales, int group_size, FloatTensor? bias=None) -> Tensor");
HIGHWATER_OP(
    LinearQcs4w,
    "et_vk.linear_qcs4w.default(FloatTensor self, IntTensor weight, FloatTensor scales) -> "
    "Tensor");
HIGHWATER_OP(FusedLinearQ4gsw,
             "hw.linear_q4gsw.default(FloatTensor self, IntTensor weights, "
             "FloatTensor weight_scales, int group_size, FloatTensor? norm_weight=None, "
             "float? norm_eps=None, bool as_int8=False, float? int8_eps=None, "
             "FloatTensor? bias=None, FloatTensor? residual=None) -> Tensor");
HIGHWATER_OP(SharedLinearQ4gsw,
             "hw.linear_q4gsw.shared(FloatTensor self, IntTensor weights, "
             "FloatTensor weight_scales, int group_size, FloatTensor? norm_weight=None, "
             "float? norm_eps=None, bool as_int8=False, float? int8_eps=None) -> Tensor[]");
HIGHWATER_OP(SwigluLinearQ4gsw,
             "hw.linear_q4gsw.swiglu(FloatTensor self, IntTensor weights, "
             "FloatTensor weight_scales, int group_size, FloatTensor? norm_weight=None, "
             "float? norm_eps=None, bool as_int8=False, float? int8_eps=None) -> Tensor");

}  // namespace
}  // namespace highwater
