// Linear layers with 4-bit weights.
#include "ops/linear/q4_matmul.h"

namespace highwater {
namespace {

// (x, w, scales, group, bias, y)
class LinearQ4gsw final : public Op {
 public:
  explicit LinearQ4gsw(Args& a)
      : x_(a.tensor(0)),
        matmul_(a, {.x = x_,
                    .w = a.tensor(1),
                    .scale = a.tensor(2),
                    .bias = a.optional_tensor(4),
                    .y = a.out(5),
                    .group = a.integer(3),
                    .depth = a.bound(x_).back()}) {}

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
        matmul_(a, {.x = x_,
                    .w = a.tensor(1),
                    .scale = a.tensor(2),
                    .bias = std::nullopt,
                    .y = a.out(3),
                    .group = std::max<int64_t>(a.bound(x_).back(), 1),
                    .depth = a.bound(x_).back(),
                    .order = NibbleOrder::HighFirst}) {}

  Status plan(const Shapes& s, Plan& plan) const override { return matmul_.plan(s[x_], plan); }

 private:
  Tensor x_;
  Q4Matmul matmul_;
};

HIGHWATER_OP(LinearQ4gsw, "et_vk.linear_q4gsw.default");
HIGHWATER_OP(LinearQcs4w, "et_vk.linear_qcs4w.default");

}  // namespace
}  // namespace highwater
