#include "wgsl/gather/embedding_q4.h"

#include "graph/op.h"

namespace highwater {
namespace {

// Rows of a 4-bit table. Of a byte's two elements the first is the high one, unless the table is
// packed like a linear layer's weights.
class EmbeddingQ4 final : public Op {
 public:
  explicit EmbeddingQ4(Args& a)
      : w_(a.tensor("weight")),
        scale_(a.tensor("weight_scales")),
        ids_(a.tensor("indices")),
        y_(a.out()),
        table_rows_(a.bound(w_).rank() == 2 ? a.bound(w_)[0] : 0),
        width_(2 * a.bound(w_).back()) {
    a.require(table_rows_ > 0 && width_ > 0, "a 4-bit table of dims ", a.bound(w_));
    const Dims& scales = a.bound(scale_);
    const int64_t groups = scales.rank() == 2 ? scales[1] : 1;
    group_ =
        a.takes("group_size") ? a.integer("group_size") : width_ / std::max<int64_t>(groups, 1);
    a.require(group_ > 0 && width_ % group_ == 0, "groups of ", group_, " in rows of ", width_);
    if (group_ <= 0 || width_ % group_ != 0) return;
    a.require(scales.numel() == table_rows_ * (width_ / group_), "scales of dims ", scales,
              " for a 4-bit table of dims ", a.bound(w_));
    std::optional<Tensor> zero;
    if (a.takes("weight_zero_points")) zero = a.optional_tensor("weight_zero_points");
    if (zero) {
      a.require(a.bound(*zero).numel() == scales.numel(), "zero points of dims ", a.bound(*zero),
                " with scales of dims ", scales);
    }
    const bool low_first = a.takes("is_linear_weight") && a.flag("is_linear_weight");
    step_ = a.step<wgsl::gather::embedding_q4>({y_, w_, scale_, ids_, zero.value_or(scale_)},
                                               {{"FIRST", low_first ? "0" : "1"},
                                                {"ORDER", low_first ? "xyzw" : "yxwz"},
                                                {"ZERO", zero ? "f32(zero_at(group))" : "0.0"}});
    a.read_on_host_if_given(ids_);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    HW_CHECK(s.check_host_range(ids_, 0, table_rows_));
    Dims y = s[ids_];
    if (y.rank() == Dims::kMaxRank) return fail("ids of dims ", y);
    y.push_back(width_);
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = quads_of(y.numel()),
              .width = u32(width_),
              .group = u32(group_),
              .row_groups = u32(width_ / group_),
              .table_rows = u32(table_rows_),
              .by_quad = width_ % 4 == 0 && group_ % 4 == 0},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor w_;
  Tensor scale_;
  Tensor ids_;
  Tensor y_;
  int64_t table_rows_;
  int64_t width_;
  int64_t group_ = 1;
  Step<wgsl::gather::embedding_q4> step_;
};

HIGHWATER_OP(EmbeddingQ4,
             "et_vk.embedding_q4gsw.default(IntTensor weight, FloatTensor weight_scales, "
             "int group_size, IntTensor indices, bool is_linear_weight=False) -> Tensor",
             "quantized_decomposed.embedding_4bit.dtype(IntTensor weight, FloatTensor "
             "weight_scales, Tensor? weight_zero_points, int weight_quant_min, int "
             "weight_quant_max, IntTensor indices, *, ScalarType? dtype=None) -> Tensor");

}  // namespace
}  // namespace highwater
