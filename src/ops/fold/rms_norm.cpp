// Norms by the root of the mean of squares, of what is given or of a sum.
#include "graph/strided.h"
#include "ops/fold/norm_rows.h"
#include "ops/narrow.h"
#include "wgsl/fold/rms_norm_apply.h"
#include "wgsl/fold/rms_norm_of_sum.h"
#include "wgsl/fold/rms_norm_of_x.h"
#include "wgsl/fold/rms_norm_scale.h"

namespace highwater {
namespace {

// y = x * rsqrt(mean(x^2) + eps) * w, the mean over the last dim.
class RmsNorm final : public Op {
 public:
  explicit RmsNorm(Args& a)
      : x_(a.tensor("x")),
        w_(a.tensor("weight")),
        eps_(narrow_to_float(a.number("eps"))),
        y_(a.out()),
        norm_rows_(a, y_, {wgsl::fold::rms_norm_of_x::kSource.text, {x_}}, w_, eps_,
                   a.bound(y_).back()) {
    a.require(!a.bound(x_).empty(), "its input has rank 0");
    a.require(is_float(a.dtype(x_)) && is_float(a.dtype(w_)), "it is defined on floats only");
    const int64_t most_rows = a.bound(x_).rows();
    row_scale_ = a.scratch(DType::Float32, most_rows);
    scale_ = a.step<wgsl::fold::rms_norm_scale>({row_scale_, x_});
    apply_ = a.step<wgsl::fold::rms_norm_apply>({y_, x_, row_scale_, w_});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[x_], &w = s[w_];
    HW_TRY(const Dims y, s.broadcast({x_, w_}));
    plan.resize(y_, y);
    if (y.empty() || y.back() != x.back()) {
      return fail("a weight of dims ", w, " widens the rows of an input of ", x);
    }
    const int64_t width = x.back();
    const int64_t rows = x.rows();
    if (width == 0) return {};
    // The usual case: every row has the same weights, and is whole quads.
    if (width % 4 == 0 && w.numel() == width && w.back() == width && y == x) {
      norm_rows_.plan(rows, width, plan);
      return {};
    }
    StridedLoop loop;
    for (size_t i = 0; i < y.rank(); ++i) {
      loop.add_dim(y[i], {broadcast_stride(x, y, i), broadcast_stride(w, y, i)});
    }
    plan.resize(row_scale_, {rows});
    plan.run(scale_, {.rows = u32(rows), .width = u32(width), .eps = eps_}, Grid::quads(rows),
             Rounds{4 * width});
    plan.run(apply_,
             {.quads = quads_of(y.numel()),
              .width = u32(width),
              .numel = u32(y.numel()),
              .rank = loop.rank(),
              .dims = loop.dims()},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor x_;
  Tensor w_;
  float eps_;
  Tensor y_;
  Tensor row_scale_;
  NormRows norm_rows_;
  Step<wgsl::fold::rms_norm_scale> scale_;
  Step<wgsl::fold::rms_norm_apply> apply_;
};

// x = a + b, and y its norm; rows of whole quads.
class AddRmsNorm final : public Op {
 public:
  explicit AddRmsNorm(Args& a)
      : a_(a.tensor("a")),
        b_(a.tensor("b")),
        w_(a.tensor("weight")),
        outs_(a.outs()),
        norm_rows_(a, outs_[1], {wgsl::fold::rms_norm_of_sum::kSource.text, {outs_[0], a_, b_}}, w_,
                   narrow_to_float(a.number("eps")), a.bound(outs_[1]).back(), "add") {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[a_];
    if (!(x == s[b_]) || x.empty() || x.back() != s[w_].numel()) {
      return fail("dims ", x, " and ", s[b_], " with a weight of ", s[w_]);
    }
    if (x.back() % 4 != 0) return fail("rows of ", x, " are not whole quads");
    plan.resize(outs_[0], x).resize(outs_[1], x);
    if (x.back() > 0) norm_rows_.plan(x.rows(), x.back(), plan);
    return {};
  }

 private:
  Tensor a_;
  Tensor b_;
  Tensor w_;
  std::vector<Tensor> outs_;
  NormRows norm_rows_;
};

HIGHWATER_OP(AddRmsNorm,
             "hw.add_rms_norm(FloatTensor a, FloatTensor b, FloatTensor weight, float eps) -> "
             "(Tensor, Tensor)");
HIGHWATER_OP(RmsNorm,
             "et_vk.rms_norm.default(FloatTensor x, FloatTensor weight, float eps) -> Tensor");

}  // namespace
}  // namespace highwater
