#include "wgsl/gather/embedding_q4.h"

#include "graph/op.h"

namespace highwater {
namespace {

class EmbeddingQ4 final : public Op {
 public:
  explicit EmbeddingQ4(Args& a)
      : w_(a.tensor("weight")),
        scale_(a.tensor("weight_scales")),
        group_(a.integer("group_size")),
        ids_(a.tensor("indices")),
        y_(a.out()),
        table_rows_(a.bound(w_).rank() == 2 ? a.bound(w_)[0] : 0),
        width_(2 * a.bound(w_).back()),
        step_(a.step<wgsl::gather::embedding_q4>({y_, w_, scale_, ids_})) {
    a.require(a.flag("is_linear_weight"), "only tables packed like linear weights are supported");
    a.require(table_rows_ > 0 && width_ % 8 == 0, "a 4-bit table of dims ", a.bound(w_));
    a.require(group_ > 0 && group_ % 4 == 0 && width_ % group_ == 0, "groups of ", group_,
              " in rows of ", width_);
    a.read_on_host_if_given(ids_);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    HW_CHECK(s.check_host_range(ids_, 0, table_rows_));
    Dims y = s[ids_];
    if (y.rank() == Dims::kMaxRank) return fail("ids of dims ", y);
    y.push_back(width_);
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = u32(y.numel() / 4),
              .row_quads = u32(width_ / 4),
              .group_quads = u32(group_ / 4),
              .row_groups = u32(width_ / group_),
              .table_rows = u32(table_rows_)},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor w_;
  Tensor scale_;
  int64_t group_;
  Tensor ids_;
  Tensor y_;
  int64_t table_rows_;
  int64_t width_;
  Step<wgsl::gather::embedding_q4> step_;
};

HIGHWATER_OP(EmbeddingQ4,
             {"et_vk.embedding_q4gsw.default(IntTensor weight, FloatTensor weight_scales, "
              "int group_size, IntTensor indices, bool is_linear_weight=False) -> Tensor",
              "only tables packed like linear weights"});

}  // namespace
}  // namespace highwater
