// Linear layers whose input is quantized to int8 row by row as it comes.
#include <cmath>
#include <limits>

#include "ops/linear/q4_matmul.h"
#include "ops/narrow.h"
#include "wgsl/choose_qparams.h"
#include "wgsl/fake_quantize_given.h"

namespace highwater {
namespace {

// (x, mapping, block, dtype, lowest, highest, eps, …, [scale, zero point])
class ChooseQparams final : public Op {
 public:
  explicit ChooseQparams(Args& a)
      : x_(a.tensor(0)),
        lowest_(narrow_to_float(a.number_or(4, -128))),
        highest_(narrow_to_float(a.number_or(5, 127))),
        eps_(narrow_to_float(a.number_or(6, std::numeric_limits<float>::epsilon()))) {
    const std::string mapping = a.string(1);
    a.require(mapping == "ASYMMETRIC", "mapping '", mapping, "' is not supported");
    const Dims& bound = a.bound(x_);
    a.require(!bound.empty(), "its input has rank 0");
    const std::vector<Tensor> outs = a.outs(a.last());
    a.require(outs.size() == 2, "it has ", outs.size(), " outputs; two are wanted");
    if (outs.size() != 2 || bound.empty()) return;
    scale_ = outs[0];
    zero_ = outs[1];
    keeps_last_ = a.bound(scale_).rank() == bound.rank();
    step_ = a.step<wgsl::choose_qparams>({scale_, zero_, x_});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    Dims y = x;
    if (keeps_last_) {
      y[y.rank() - 1] = 1;
    } else {
      y.erase(y.rank() - 1);
    }
    plan.resize(scale_, y).resize(zero_, y);
    const int64_t rows = y.numel();
    plan.run(step_,
             {.rows = u32(rows),
              .width = u32(x.back()),
              .lowest = lowest_,
              .highest = highest_,
              .eps = eps_},
             Grid::quads(rows), Rounds{4 * x.back()});
    return {};
  }

 private:
  Tensor x_;
  float lowest_, highest_, eps_;
  Tensor scale_, zero_;
  bool keeps_last_ = false;
  Step<wgsl::choose_qparams> step_;
};

// (x, scale, zero point, w, sums, scales, group, bias, y). Integer sums less the zero point's part,
// times the scales, are the product with the input as int8 shows it; so that input is made first,
// and the product is the one of every other 4-bit layer.
class LinearDq8caQ4gsw final : public Op {
 public:
  explicit LinearDq8caQ4gsw(Args& a)
      : x_(a.tensor(0)),
        scale_(a.tensor(1)),
        zero_(a.tensor(2)),
        seen_(a.scratch(DType::Float32, a.bound(x_).numel())),
        quantize_(a.step<wgsl::fake_quantize_given>({seen_, x_, scale_, zero_})),
        matmul_(a, {.x = seen_,
                    .w = a.tensor(3),
                    .scale = a.tensor(5),
                    .bias = a.optional_tensor(7),
                    .ys = {a.out(8)},
                    .group = a.integer(6),
                    .depth = a.bound(x_).back()}) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const int64_t rows = x.rows();
    if (s[scale_].numel() != rows || s[zero_].numel() != rows) {
      return fail("scales of dims ", s[scale_], " for an input of dims ", x);
    }
    plan.resize(seen_, {x.numel()});
    plan.run(quantize_,
             {.quads = quads_of(x.numel()), .numel = u32(x.numel()), .width = u32(x.back())},
             Grid::quads(x.numel()));
    return matmul_.plan(x, plan);
  }

 private:
  Tensor x_;
  Tensor scale_;
  Tensor zero_;
  Tensor seen_;
  Step<wgsl::fake_quantize_given> quantize_;
  Q4Matmul matmul_;
};

HIGHWATER_OP(ChooseQparams, "torchao.choose_qparams_affine.default");
HIGHWATER_OP(LinearDq8caQ4gsw, "et_vk.linear_dq8ca_q4gsw.default");

}  // namespace
}  // namespace highwater
