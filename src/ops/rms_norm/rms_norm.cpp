#include "graph/op.h"
#include "graph/strided.h"
#include "ops/long_walks.h"
#include "wgsl/rms_norm_apply.h"
#include "wgsl/rms_norm_groups.h"
#include "wgsl/rms_norm_of_sum.h"
#include "wgsl/rms_norm_of_x.h"
#include "wgsl/rms_norm_rows.h"
#include "wgsl/rms_norm_scale.h"

namespace highwater {
namespace {

// Norms rows of whole quads that all have the same weights. `inputs` says what is normed: the
// kernel's text for it, and its bindings.
class NormRows {
 public:
  struct Inputs {
    std::string_view text;
    std::vector<Tensor> bindings;
  };

  NormRows(Args& a, Tensor y, const Inputs& inputs, Tensor w, float eps, std::string_view variant)
      : eps_(eps), on_threads_(a.traits().software) {
    std::vector<Tensor> bindings{y};
    bindings.insert(bindings.end(), inputs.bindings.begin(), inputs.bindings.end());
    bindings.push_back(w);
    const Substitution text{"INPUTS", std::string(inputs.text)};
    if (on_threads_) {
      threads_ = a.step<wgsl::rms_norm_rows>(bindings, {text}, variant);
    } else {
      groups_ = a.step<wgsl::rms_norm_groups>(bindings, {text}, variant);
    }
  }

  void plan(int64_t rows, int64_t width, Plan& plan) const {
    const auto count = static_cast<uint32_t>(rows);
    const auto row_quads = static_cast<uint32_t>(width / 4);
    const float inverse = 1.0f / static_cast<float>(width);
    if (on_threads_) {
      plan.run(threads_, {count, row_quads, inverse, eps_}, Grid::threads(rows));
    } else {
      plan.run(groups_, {count, row_quads, inverse, eps_}, Grid::groups(rows));
    }
  }

 private:
  float eps_;
  bool on_threads_;
  Step<wgsl::rms_norm_rows> threads_;
  Step<wgsl::rms_norm_groups> groups_;
};

// (x, w, eps, y): y = x * rsqrt(mean(x^2) + eps) * w, the mean over the last dim.
class RmsNorm final : public Op {
 public:
  explicit RmsNorm(Args& a)
      : x_(a.tensor(0)),
        w_(a.tensor(1)),
        eps_(static_cast<float>(a.number(2))),
        y_(a.out(3)),
        walk_limit_(a),
        norm_rows_(a, y_, {wgsl::rms_norm_of_x::kSource.text, {x_}}, w_, eps_, {}) {
    a.require(!a.bound(x_).empty(), "its input has rank 0");
    a.require(is_float(a.dtype(x_)) && is_float(a.dtype(w_)), "it is defined on floats only");
    const int64_t most_rows = a.bound(x_).rows();
    row_scale_ = a.scratch(DType::Float32, most_rows);
    scale_ = a.step<wgsl::rms_norm_scale>({row_scale_, x_});
    apply_ = a.step<wgsl::rms_norm_apply>({y_, x_, row_scale_, w_});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[x_], &w = s[w_];
    HW_TRY(const Dims y, broadcast(x, w));
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
    HW_CHECK(walk_limit_.check(4 * width));
    StridedLoop<2> loop;
    for (size_t i = 0; i < y.rank(); ++i) {
      loop.add_dim(y[i], {broadcast_stride(x, y, i), broadcast_stride(w, y, i)});
    }
    plan.resize(row_scale_, {rows});
    plan.run(scale_, {static_cast<uint32_t>(rows), static_cast<uint32_t>(width), eps_},
             Grid::quads(rows));
    wgsl::rms_norm_apply::Params params{};
    params.quads = static_cast<uint32_t>(ceil_div<int64_t>(y.numel(), 4));
    params.width = static_cast<uint32_t>(width);
    params.numel = static_cast<uint32_t>(y.numel());
    params.rank = loop.rank();
    params.size = loop.sizes();
    params.x_stride = loop.strides(0);
    params.w_stride = loop.strides(1);
    plan.run(apply_, params, Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor x_;
  Tensor w_;
  float eps_;
  Tensor y_;
  Tensor row_scale_;
  WalkLimit walk_limit_;
  NormRows norm_rows_;
  Step<wgsl::rms_norm_scale> scale_;
  Step<wgsl::rms_norm_apply> apply_;
};

// (a, b, w, eps, [x, y]): x = a + b, and y its norm; rows of whole quads.
class AddRmsNorm final : public Op {
 public:
  explicit AddRmsNorm(Args& a)
      : a_(a.tensor(0)),
        b_(a.tensor(1)),
        w_(a.tensor(2)),
        outs_(two(a.outs(4))),
        norm_rows_(a, outs_[1], {wgsl::rms_norm_of_sum::kSource.text, {outs_[0], a_, b_}}, w_,
                   static_cast<float>(a.number(3)), "add") {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[a_];
    if (!(x == s[b_]) || x.empty() || x.back() != s[w_].numel()) {
      return fail("dims ", x, " and ", s[b_], " with a weight of ", s[w_]);
    }
    plan.resize(outs_[0], x).resize(outs_[1], x);
    if (x.back() > 0) norm_rows_.plan(x.rows(), x.back(), plan);
    return {};
  }

 private:
  static std::vector<Tensor> two(std::vector<Tensor> outs) {
    outs.resize(2);
    return outs;
  }

  Tensor a_;
  Tensor b_;
  Tensor w_;
  std::vector<Tensor> outs_;
  NormRows norm_rows_;
};

HIGHWATER_OP(AddRmsNorm, "hw.add_rms_norm");
HIGHWATER_OP(RmsNorm, "et_vk.rms_norm.default");

}  // namespace
}  // namespace highwater
