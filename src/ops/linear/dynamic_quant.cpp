// Linear layers whose input is quantized to int8 row by row as it comes.
#include <cmath>
#include <limits>

#include "ops/linear/q4_matmul.h"
#include "ops/narrow.h"
#include "wgsl/linear/choose_qparams.h"
#include "wgsl/linear/fake_quantize_given.h"

namespace highwater {
namespace {

// Results are the scale and the zero point of each row.
class ChooseQparams final : public Op {
 public:
  explicit ChooseQparams(Args& a)
      : x_(a.tensor("input")),
        lowest_(narrow_to_float(a.number_or("quant_min", -128))),
        highest_(narrow_to_float(a.number_or("quant_max", 127))),
        eps_(narrow_to_float(a.number_or("eps", std::numeric_limits<float>::epsilon()))) {
    const std::string mapping = a.string("mapping_type");
    a.require(mapping == "ASYMMETRIC", "mapping '", mapping, "' is not supported");
    const Dims& bound = a.bound(x_);
    a.require(!bound.empty(), "its input has rank 0");
    const std::vector<Tensor> outs = a.outs();
    if (bound.empty()) return;
    scale_ = outs[0];
    zero_ = outs[1];
    keeps_last_ = a.bound(scale_).rank() == bound.rank();
    step_ = a.step<wgsl::linear::choose_qparams>({scale_, zero_, x_});
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
  Step<wgsl::linear::choose_qparams> step_;
};

// Integer sums less the zero point's part,
// times the scales, are the product with the input as int8 shows it; so that input is made first,
// and the product is the one of every other 4-bit layer.
class LinearDq8caQ4gsw final : public Op {
 public:
  explicit LinearDq8caQ4gsw(Args& a)
      : x_(a.tensor("input")),
        scale_(a.tensor("input_scales")),
        zero_(a.tensor("input_zp")),
        seen_(a.scratch(DType::Float32, a.bound(x_).numel())),
        quantize_(a.step<wgsl::linear::fake_quantize_given>({seen_, x_, scale_, zero_})),
        matmul_(a, {.x = seen_,
                    .w = a.tensor("weights"),
                    .scale = a.tensor("weight_scales"),
                    .bias = a.optional_tensor("bias"),
                    .ys = {a.out()},
                    .group = a.integer("group_size"),
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
  Step<wgsl::linear::fake_quantize_given> quantize_;
  Q4Matmul matmul_;
};

HIGHWATER_OP(ChooseQparams,
             {"torchao.choose_qparams_affine.default(FloatTensor input, str mapping_type, "
              "SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, "
              "Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, "
              "ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor)",
              "asymmetric, a row at a time"});
HIGHWATER_OP(LinearDq8caQ4gsw,
             "et_vk.linear_dq8ca_q4gsw.default(FloatTensor input, FloatTensor input_scales, "
             "Tensor input_zp, IntTensor weights, Tensor weight_sums, "
             "FloatTensor weight_scales, int group_size, FloatTensor? bias=None) -> Tensor");

}  // namespace
}  // namespace highwater
