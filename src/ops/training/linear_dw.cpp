#include "ops/gather/strided_copy.h"
#include "ops/linear/matmul.h"

namespace highwater {
namespace {

// The gradient of a layer's weight: the gradients of its outputs, transposed, times its inputs.
class LinearWeightGradient final : public Op {
 public:
  explicit LinearWeightGradient(Args& a)
      : d_(a.tensor("d_out")),
        x_(a.tensor("x")),
        y_(a.out()),
        columns_(a.scratch(a.dtype(d_), a.bound(d_).numel())),
        transpose_(a, columns_, d_, "transpose"),
        matmul_(a, {.x = columns_,
                    .w = x_,
                    .bias = std::nullopt,
                    .ys = {y_},
                    .layout = WeightLayout::DepthByColumns}) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &d = s[d_], &x = s[x_];
    if (d.empty() || x.empty() || d.rows() != x.rows()) {
      return fail("gradients of dims ", d, " for inputs of dims ", x);
    }
    const int64_t rows = d.rows(), outputs = d.back();
    StridedLoop loop;
    loop.add_dim(outputs, {1});
    loop.add_dim(rows, {outputs});
    HW_CHECK(transpose_.plan(s, {d.numel()}, loop, 0, plan));
    Matmul::Problem p;
    p.rows = outputs;
    p.columns = x.back();
    p.depth = rows;
    p.y = {outputs, x.back()};
    return matmul_.plan(s, p, plan);
  }

 private:
  Tensor d_;
  Tensor x_;
  Tensor y_;
  Tensor columns_;
  StridedCopy transpose_;
  Matmul matmul_;
};

HIGHWATER_OP(LinearWeightGradient,
             "et_vk.linear_dW.default(FloatTensor d_out, FloatTensor x) -> Tensor");

}  // namespace
}  // namespace highwater
