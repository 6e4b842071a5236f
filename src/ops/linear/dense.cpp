// Matrix products with dense operands.
#include <cstdint>

#include "ops/linear/matmul.h"

namespace highwater {
namespace {

// The weight has dims [N, K].
class LinearLayers : public Op {
 public:
  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[x_], &w = s[w_];
    if (x.empty() || w.rank() != 2 || w[1] != x.back()) {
      return fail("an input of dims ", x, " and a weight of dims ", w, " do not go together");
    }
    Matmul::Problem p;
    p.y = x;
    if (ys_.size() == 1) p.y[x.rank() - 1] = w[0] / (swiglu_ ? 2 : 1);
    for (size_t i = 0; ys_.size() > 1 && i < ys_.size(); ++i) {
      p.y[x.rank() - 1] = widths_[i];
      plan.resize(ys_[i], p.y);
    }
    p.rows = x.rows();
    p.columns = w[0];
    p.depth = w[1];
    if (bias_) p.bias = s[*bias_];
    if (residual_ && s[*residual_] != p.y) {
      return fail("a residual of dims ", s[*residual_], " for a result of dims ", p.y);
    }
    return matmul_.plan(s, p, plan);
  }

 protected:
  enum class Outputs : uint8_t { One, Several, Gated };

  LinearLayers(Args& a, Outputs outputs)
      : x_(a.tensor("input")),
        w_(a.tensor("weight")),
        bias_(a.optional_tensor("bias")),
        ys_(outputs == Outputs::Several ? a.outs() : std::vector{a.out()}),
        swiglu_(outputs == Outputs::Gated),
        epilogue_(Epilogue::read(a)),
        residual_(epilogue_.residual),
        matmul_(a, {.x = x_,
                    .w = w_,
                    .bias = bias_,
                    .ys = ys_,
                    .layout = WeightLayout::ColumnsByDepth,
                    .swiglu = swiglu_,
                    .epilogue = epilogue_}) {
    for (Tensor y : ys_) widths_.push_back(a.bound(y).back());
  }

 private:
  Tensor x_;
  Tensor w_;
  std::optional<Tensor> bias_;
  std::vector<Tensor> ys_;
  std::vector<int64_t> widths_;
  bool swiglu_;
  Epilogue epilogue_;
  std::optional<Tensor> residual_;
  Matmul matmul_;
};

class Linear final : public LinearLayers {
 public:
  explicit Linear(Args& a) : LinearLayers(a, Outputs::One) {}
};

// Several layers with the same input.
class SharedLinear final : public LinearLayers {
 public:
  explicit SharedLinear(Args& a) : LinearLayers(a, Outputs::Several) {}
};

// A gate layer, the layer it gates, and silu(gate) * the other.
class SwigluLinear final : public LinearLayers {
 public:
  explicit SwigluLinear(Args& a) : LinearLayers(a, Outputs::Gated) {}
};

// Two matrices, with a batch dim for bmm, and a bias for addmm.
class MatrixProduct final : public Op {
 public:
  explicit MatrixProduct(Args& a)
      : has_bias_(a.op() == "aten.addmm.default"),
        bias_(has_bias_ ? std::optional(a.tensor("self")) : std::nullopt),
        a_(a.tensor(has_bias_ ? "mat1" : "self")),
        b_(a.tensor("mat2")),
        y_(a.out()),
        matmul_(a, {a_,
                    b_,
                    bias_,
                    {y_},
                    WeightLayout::DepthByColumns,
                    has_bias_ ? a.number("alpha") : 1,
                    has_bias_ ? a.number("beta") : 1}) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &a = s[a_], &b = s[b_];
    const size_t rank = a.rank();
    const bool fits = rank == b.rank() && (rank == 2 || rank == 3) && a[rank - 1] == b[rank - 2] &&
                      (rank == 2 || a[0] == b[0]);
    if (!fits) return fail("dims ", a, " and ", b, " do not multiply");
    Matmul::Problem p;
    p.y = a;
    p.y[rank - 1] = b[rank - 1];
    p.batch = rank == 3 ? a[0] : 1;
    p.rows = a[rank - 2];
    p.depth = a[rank - 1];
    p.columns = b[rank - 1];
    p.shared_weight = false;
    if (bias_) p.bias = s[*bias_];
    return matmul_.plan(s, p, plan);
  }

 private:
  bool has_bias_;
  std::optional<Tensor> bias_;
  Tensor a_;
  Tensor b_;
  Tensor y_;
  Matmul matmul_;
};

HIGHWATER_OP(
    Linear,
    "aten.linear.default(FloatTensor input, FloatTensor weight, FloatTensor? bias=None) -> "
    "Tensor",
    // See fuse_linear_epilogue. The activation is a unary op by its name.
    "hw.linear.epilogue(FloatTensor input, FloatTensor weight, FloatTensor? bias, "
    "str? activation, str? approximate, Scalar? p, Scalar? q, bool gates=False, "
    "FloatTensor? residual, bool adds_last=False) -> Tensor");
HIGHWATER_OP(SharedLinear,
             "hw.linear.shared(FloatTensor input, FloatTensor weight, FloatTensor? bias) -> "
             "Tensor[]");
HIGHWATER_OP(
    SwigluLinear,
    "hw.linear.swiglu(FloatTensor input, FloatTensor weight, FloatTensor? bias) -> Tensor");
HIGHWATER_OP(MatrixProduct, "aten.mm.default(FloatTensor self, FloatTensor mat2) -> Tensor",
             "aten.bmm.default(FloatTensor self, FloatTensor mat2) -> Tensor",
             "aten.addmm.default(FloatTensor self, FloatTensor mat1, FloatTensor mat2, *, "
             "Scalar beta=1, Scalar alpha=1) -> Tensor");

}  // namespace
}  // namespace highwater
