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

// (x, w, scales, group, bias, y)
class LinearQ4gsw final : public LinearQ4 {
 public:
  explicit LinearQ4gsw(Args& a)
      : LinearQ4(a, {.x = a.tensor(0),
                     .w = a.tensor(1),
                     .scale = a.tensor(2),
                     .bias = a.optional_tensor(4),
                     .ys = {a.out(5)},
                     .group = a.integer(3),
                     .depth = a.last_dim(0)}) {}
};

// (x, w, scales, y): one scale a column, and the nibbles the other way round.
class LinearQcs4w final : public LinearQ4 {
 public:
  explicit LinearQcs4w(Args& a)
      : LinearQ4(a, {.x = a.tensor(0),
                     .w = a.tensor(1),
                     .scale = a.tensor(2),
                     .bias = std::nullopt,
                     .ys = {a.out(3)},
                     .group = std::max<int64_t>(a.last_dim(0), 1),
                     .depth = a.last_dim(0),
                     .order = NibbleOrder::HighFirst}) {}
};

// (x, w, scales, group, [y…]): several layers with the same input.
class SharedLinearQ4gsw final : public LinearQ4 {
 public:
  explicit SharedLinearQ4gsw(Args& a)
      : LinearQ4(a, {.x = a.tensor(0),
                     .w = a.tensor(1),
                     .scale = a.tensor(2),
                     .bias = std::nullopt,
                     .ys = a.outs(4),
                     .group = a.integer(3),
                     .depth = a.last_dim(0)}) {}
};

// (x, w, scales, group, y): a gate layer, the layer it gates, and silu(gate) * the other.
class SwigluLinearQ4gsw final : public LinearQ4 {
 public:
  explicit SwigluLinearQ4gsw(Args& a)
      : LinearQ4(a, {.x = a.tensor(0),
                     .w = a.tensor(1),
                     .scale = a.tensor(2),
                     .bias = std::nullopt,
                     .ys = {a.out(4)},
                     .group = a.integer(3),
                     .depth = a.last_dim(0),
                     .swiglu = true}) {}
};

HIGHWATER_OP(LinearQ4gsw, "et_vk.linear_q4gsw.default");
HIGHWATER_OP(LinearQcs4w, "et_vk.linear_qcs4w.default");
HIGHWATER_OP(SharedLinearQ4gsw, "hw.linear_q4gsw.shared");
HIGHWATER_OP(SwigluLinearQ4gsw, "hw.linear_q4gsw.swiglu");

}  // namespace
}  // namespace highwater
