// Sorting by counting: each element finds its own rank, without a word to the others. That is for
// experts, candidates and beams, of which there are tens or thousands; not for millions.
#include "graph/op.h"
#include "wgsl/fold/sort_pick.h"
#include "wgsl/fold/sort_ranks.h"

namespace highwater {
namespace {

// All along a dim in order, or the first k of them.
class Sort final : public Op {
 public:
  explicit Sort(Args& a) : x_(a.tensor("self")), outs_(a.outs()) {
    const Dims bound = a.bound(x_);
    const auto dim = wrap_dim(a.integer("dim"), bound.rank());
    a.require(dim.ok(), "dim ", a.integer("dim"), " of ", bound);
    if (dim) dim_ = *dim;
    if (a.takes("k")) k_ = a.live_integer("k");
    const bool falling = a.flag(k_ ? "largest" : "descending");
    ranks_ = a.scratch(DType::Int32, bound.numel());
    rank_ = a.step<wgsl::fold::sort_ranks>({ranks_, x_}, {{"BEFORE", falling ? ">" : "<"}},
                                           falling ? "falling" : "rising");
    pick_ = a.step<wgsl::fold::sort_pick>({outs_[0], outs_[1], x_, ranks_});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const int64_t count = x.empty() ? 1 : x[dim_];
    const int64_t kept = k_ ? s[*k_] : count;
    if (kept < 0 || kept > count) return fail("the first ", kept, " along dim ", dim_, " of ", x);
    Dims y = x;
    if (!y.empty()) y[dim_] = kept;
    plan.resize(outs_[0], y).resize(outs_[1], y).resize(ranks_, {x.numel()});
    if (y.numel() == 0) return {};
    const int64_t inner = x.empty() ? 1 : x.product(dim_ + 1, x.rank());
    plan.run(rank_,
             {.quads = quads_of(x.numel()),
              .numel = u32(x.numel()),
              .count = u32(count),
              .inner = u32(inner)},
             Grid::quads(x.numel()), Rounds{4 * (count + 1)});
    plan.run(pick_,
             {.quads = quads_of(y.numel()),
              .numel = u32(y.numel()),
              .kept = u32(kept),
              .count = u32(count),
              .inner = u32(inner)},
             Grid::quads(y.numel()), Rounds{4 * (count + 1)});
    return {};
  }

 private:
  Tensor x_;
  std::vector<Tensor> outs_;
  size_t dim_ = 0;
  std::optional<LiveInt> k_;
  Tensor ranks_;
  Step<wgsl::fold::sort_ranks> rank_;
  Step<wgsl::fold::sort_pick> pick_;
};

HIGHWATER_OP(
    Sort,
    {"aten.topk.default(Tensor self, SymInt k, int dim=-1, bool largest=True, "
     "bool sorted=True) -> (Tensor, Tensor)",
     "some ten thousand elements along the dim on software adapters"},
    {"aten.sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> "
     "(Tensor, Tensor)",
     "some ten thousand elements along the dim on software adapters"},
    {"aten.sort.default(Tensor self, int dim=-1, bool descending=False) -> "
     "(Tensor, Tensor)",
     "some ten thousand elements along the dim on software adapters"});

}  // namespace
}  // namespace highwater
