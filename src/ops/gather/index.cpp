// Several dims indexed at once, each by a tensor of its own: x[i, :, j].
#include "wgsl/gather/index.h"

#include "graph/op.h"
#include "graph/strided.h"
#include "ops/gather/indexed.h"
#include "wgsl/gather/index_offsets.h"

namespace highwater {
namespace {

class IndexSeveral final : public Op {
 public:
  explicit IndexSeveral(Args& a) : x_(a.tensor("self")), y_(a.out()) {
    const auto indices = a.optional_tensors("indices");
    a.require(indices.size() <= a.bound(x_).rank(), indices.size(), " index tensors for ",
              a.bound(x_));
    int64_t most = 1;
    for (size_t dim = 0; dim < indices.size() && dim < Dims::kMaxRank; ++dim) {
      if (!indices[dim]) continue;
      const Tensor ids = *indices[dim];
      a.require(!is_float(a.dtype(ids)) && a.dtype(ids) != DType::Bool, "an index tensor is ",
                a.dtype(ids), ", not of integers");
      a.read_on_host_if_given(ids);
      most = std::max(most, a.bound(ids).numel());
      chosen_.push_back({dim, ids, {}});
      ids_.push_back(ids);
    }
    // Index tensors broadcast, so that all together may be more than each; y holds them all.
    offsets_ = a.scratch(DType::Int32, std::max(most, a.bound(y_).numel()));
    for (Chosen& chosen : chosen_) {
      chosen.step = a.step<wgsl::gather::index_offsets>({offsets_, chosen.ids});
    }
    step_ = a.step<wgsl::gather::index>({y_, x_, offsets_});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    for (const Chosen& chosen : chosen_) {
      HW_CHECK(s.check_host_range(chosen.ids, -x[chosen.dim], x[chosen.dim]));
    }
    HW_TRY(const Dims ids, s.broadcast(ids_));
    const Layout layout = layout_of(x, ids);
    if (layout.y.rank() > Dims::kMaxRank || !layout.loop.fits()) {
      return fail("indices of ", ids, " for ", x, " give too many dims");
    }
    plan.resize(y_, layout.y).resize(offsets_, {ids.numel()});
    if (layout.y.numel() == 0) return {};
    if (x.numel() == 0) return fail("choosing from ", x);
    plan_offsets(s, x, ids, plan);
    plan.run(step_,
             {.quads = quads_of(layout.y.numel()),
              .numel = u32(layout.y.numel()),
              .rank = layout.loop.rank(),
              .by_quad = layout.by_quad,
              .dims = layout.loop.dims()},
             Grid::quads(layout.y.numel()));
    return {};
  }

 private:
  struct Chosen {
    size_t dim;
    Tensor ids;
    Step<wgsl::gather::index_offsets> step;
  };
  struct Layout {
    Dims y;
    StridedLoop loop;
    bool by_quad = false;  // whole quads of x stay together
  };

  // The dims that the index tensors share stand in place of those that they index, or in front of
  // all others if those do not lie side by side.
  Layout layout_of(const Dims& x, const Dims& ids) const {
    Layout layout;
    const Dims strides = x.strides(), id_strides = ids.strides();
    const auto put_ids = [&] {
      for (size_t i = 0; i < ids.rank(); ++i) {
        layout.y.push_back(ids[i]);
        layout.loop.add_dim(ids[i], {0, id_strides[i]});
      }
    };
    const bool together = chosen_.back().dim - chosen_.front().dim + 1 == chosen_.size();
    if (!together) put_ids();
    size_t next = 0;
    for (size_t i = 0; i < x.rank(); ++i) {
      if (next < chosen_.size() && chosen_[next].dim == i) {
        if (next++ == 0 && together) put_ids();
        continue;
      }
      layout.y.push_back(x[i]);
      layout.loop.add_dim(x[i], {strides[i], 0});
    }
    // Every offset is then a number of whole rows, which are whole quads.
    layout.by_quad = chosen_.back().dim + 1 < x.rank() && x.back() % 4 == 0;
    return layout;
  }

  void plan_offsets(const Shapes& s, const Dims& x, const Dims& ids, Plan& plan) const {
    const Dims strides = x.strides();
    for (const Chosen& chosen : chosen_) {
      StridedLoop loop;
      for (size_t i = 0; i < ids.rank(); ++i) {
        loop.add_dim(ids[i], {broadcast_stride(s[chosen.ids], ids, i)});
      }
      plan.run(chosen.step,
               {.quads = quads_of(ids.numel()),
                .numel = u32(ids.numel()),
                .count = u32(x[chosen.dim]),
                .stride = u32(strides[chosen.dim]),
                .first = &chosen == &chosen_.front(),
                .rank = loop.rank(),
                .dims = loop.dims()},
               Grid::quads(ids.numel()));
    }
  }

  Tensor x_;
  Tensor y_;
  Tensor offsets_;
  std::vector<Chosen> chosen_;
  std::vector<Tensor> ids_;  // of each
  Step<wgsl::gather::index> step_;
};

}  // namespace

std::unique_ptr<Op> index_several(Args& a) {
  return std::make_unique<IndexSeveral>(a);
}

}  // namespace highwater
