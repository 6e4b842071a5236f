// Ops that pick whole slices along one dim, by number.
#include "wgsl/gather/take.h"

#include "graph/op.h"
#include "ops/gather/indexed.h"

namespace highwater {
namespace {

// What the ops make of their arguments: y = x with dim `dim` replaced by the dims of `ids`.
struct Choice {
  Tensor x;
  Tensor ids;
  int64_t dim = 0;
  bool from_end = false;  // negative numbers count from the end
};

// Gaps before the one index tensor stand for the dims that it leaves alone.
Choice indexed(Args& a) {
  Choice choice{a.tensor("self"), {}, 0, true};
  const auto indices = a.optional_tensors("indices");
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i]) continue;
    choice.ids = *indices[i];
    choice.dim = static_cast<int64_t>(i);
  }
  return choice;
}

Choice choice_of(Args& a) {
  if (a.op() == "aten.embedding.default") return {a.tensor("weight"), a.tensor("indices"), 0};
  if (a.op() == "aten.index_select.default")
    return {a.tensor("self"), a.tensor("index"), a.integer("dim")};
  return indexed(a);
}

class Take final : public Op {
 public:
  explicit Take(Args& a)
      : choice_(choice_of(a)),
        y_(a.out()),
        step_(a.step<wgsl::gather::take>({y_, choice_.x, choice_.ids})) {
    const size_t rank = a.bound(choice_.x).rank();
    const auto at = wrap_dim(choice_.dim, rank);
    a.require(at.ok(), "dim ", choice_.dim, " of ", a.bound(choice_.x));
    a.require(!is_float(a.dtype(choice_.ids)) && a.dtype(choice_.ids) != DType::Bool,
              "its indices are ", a.dtype(choice_.ids), ", not integers");
    a.require(rank + a.bound(choice_.ids).rank() <= Dims::kMaxRank + 1, "indices of ",
              a.bound(choice_.ids), " for ", a.bound(choice_.x), " give too many dims");
    a.read_on_host_if_given(choice_.ids);
    if (at) dim_ = *at;
    // index_select keeps its dim even for a single number.
    keeps_dim_ = a.op() == "aten.index_select.default";
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[choice_.x], &ids = s[choice_.ids];
    const int64_t count = x.empty() ? 1 : x[dim_];
    HW_CHECK(s.check_host_range(choice_.ids, choice_.from_end ? -count : 0, count));
    if (count == 0 && ids.numel() > 0) return fail("choosing from dim ", dim_, " of ", x);
    Dims y;
    for (size_t i = 0; i < dim_; ++i) y.push_back(x[i]);
    if (keeps_dim_) {
      if (!x.empty()) y.push_back(ids.numel());
    } else {
      for (int64_t d : ids) y.push_back(d);
    }
    for (size_t i = dim_ + 1; i < x.rank(); ++i) y.push_back(x[i]);
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = quads_of(y.numel()),
              .numel = u32(y.numel()),
              .count = u32(count),
              .ids = u32(ids.numel()),
              .inner = u32(x.empty() ? 1 : x.product(dim_ + 1, x.rank())),
              .from_end = choice_.from_end},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  Choice choice_;
  Tensor y_;
  Step<wgsl::gather::take> step_;
  size_t dim_ = 0;
  bool keeps_dim_ = false;
};

class Index final : public Op {
 public:
  explicit Index(Args& a) {
    const auto indices = a.optional_tensors("indices");
    const auto given = std::ranges::count_if(indices, [](const auto& ids) { return !!ids; });
    a.require(given > 0, "it is given no index tensors");
    op_ = given > 1 ? index_several(a) : std::make_unique<Take>(a);
  }

  Status plan(const Shapes& s, Plan& plan) const override { return op_->plan(s, plan); }

 private:
  std::unique_ptr<Op> op_;
};

// Embedding's other arguments (padding, scaling, sparseness) matter to training alone.
HIGHWATER_OP(Take,
             "aten.embedding.default(Tensor weight, IntTensor indices, SymInt padding_idx=-1, "
             "bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
             "aten.index_select.default(Tensor self, int dim, IntTensor index) -> Tensor");
HIGHWATER_OP(Index, {"aten.index.Tensor(Tensor self, IntTensor?[] indices) -> Tensor", "no masks"});

}  // namespace
}  // namespace highwater
