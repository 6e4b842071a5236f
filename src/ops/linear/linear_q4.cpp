// Linear layers with 4-bit weights.
#include "ops/linear/q4_matmul.h"

namespace highwater {
namespace {

// (x, w, scales, group, bias, y)
class LinearQ4gsw final : public Op {
 public:
  explicit LinearQ4gsw(Args& a)
      : x_(a.tensor(0)),
        matmul_(a, {x_, a.tensor(1), a.tensor(2), a.optional_tensor(4), a.out(5), a.integer(3)}) {}

  Status plan(const Shapes& s, Plan& plan) const override { return matmul_.plan(s[x_], plan); }

 private:
  Tensor x_;
  Q4Matmul matmul_;
};

// (x, w, scales, y): one scale a column, and the nibbles the other way round.
class LinearQcs4w final : public Op {
 public:
  explicit LinearQcs4w(Args& a)
      : x_(a.tensor(0)),
        matmul_(a, {x_, a.tensor(1), a.tensor(2), std::nullopt, a.out(3),
                    std::max<int64_t>(a.bound(x_).back(), 1), NibbleOrder::HighFirst}) {}

  Status plan(const Shapes& s, Plan& plan) const override { return matmul_.plan(s[x_], plan); }

 private:
  Tensor x_;
  Q4Matmul matmul_;
};

HIGHWATER_OP(LinearQ4gsw, "et_vk.linear_q4gsw.default");
HIGHWATER_OP(LinearQcs4w, "et_vk.linear_qcs4w.default");

}  // namespace
}  // namespace highwater
