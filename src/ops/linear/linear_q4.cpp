// Linear layers with 4-bit weights.
#include <algorithm>

#include "ops/linear/q4_matmul.h"

namespace highwater {
namespace {

class LinearQ4 : public Op {
 public:
  Status plan(const Shapes& s, Plan& plan) const override { return matmul_.plan(s[x_], plan); }

 protected:
  LinearQ4(Args& a, const Q4Matmul::Operands& operands) : x_(operands.x), matmul_(a, operands) {}

 private:
  Tensor x_;
  Q4Matmul matmul_;
};

class LinearQ4gsw final : public LinearQ4 {
 public:
  explicit LinearQ4gsw(Args& a)
      : LinearQ4(a, {.x = a.tensor("self"),
                     .w = a.tensor("weights"),
                     .scale = a.tensor("weight_scales"),
                     .bias = a.optional_tensor("bias"),
                     .ys = {a.out()},
                     .group = a.integer("group_size"),
                     .depth = a.last_dim("self")}) {}
};

// One scale a column, and the nibbles the other way round.
class LinearQcs4w final : public LinearQ4 {
 public:
  explicit LinearQcs4w(Args& a)
      : LinearQ4(a, {.x = a.tensor("self"),
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
      : LinearQ4(a, {.x = a.tensor("self"),
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
      : LinearQ4(a, {.x = a.tensor("self"),
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
HIGHWATER_OP(SharedLinearQ4gsw,
             "hw.linear_q4gsw.shared(FloatTensor self, IntTensor weights, "
             "FloatTensor weight_scales, int group_size) -> Tensor[]");
HIGHWATER_OP(SwigluLinearQ4gsw,
             "hw.linear_q4gsw.swiglu(FloatTensor self, IntTensor weights, "
             "FloatTensor weight_scales, int group_size) -> Tensor");

}  // namespace
}  // namespace highwater
