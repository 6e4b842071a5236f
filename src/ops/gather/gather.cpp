#include "wgsl/gather/gather.h"

#include "graph/op.h"
#include "graph/strided.h"

namespace highwater {
namespace {

class Gather final : public Op {
 public:
  explicit Gather(Args& a)
      : x_(a.tensor("self")),
        ids_(a.tensor("index")),
        y_(a.out()),
        step_(a.step<wgsl::gather::gather>({y_, x_, ids_})) {
    const auto at = wrap_dim(a.integer("dim"), a.bound(x_).rank());
    a.require(at.ok(), "dim ", a.integer("dim"), " of ", a.bound(x_));
    a.require(a.bound(ids_).rank() == a.bound(x_).rank(), "indices of ", a.bound(ids_), " for ",
              a.bound(x_));
    a.require(!is_float(a.dtype(ids_)), "its indices are ", a.dtype(ids_), ", not integers");
    a.read_on_host_if_given(ids_);
    if (at) dim_ = *at;
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[x_], &ids = s[ids_];
    plan.resize(y_, ids);
    if (ids.numel() == 0) return {};
    const Dims strides = x.strides();
    StridedLoop loop;
    for (size_t i = 0; i < x.rank(); ++i) {
      if (i != dim_ && ids[i] > x[i]) return fail("indices of dims ", ids, " for ", x);
      loop.add_dim(ids[i], {i == dim_ ? 0 : strides[i]});
    }
    const int64_t count = x.empty() ? 1 : x[dim_];
    if (count == 0) return fail("choosing from dim ", dim_, " of ", x);
    HW_CHECK(s.check_host_range(ids_, 0, count));
    plan.run(step_,
             {.quads = quads_of(ids.numel()),
              .numel = u32(ids.numel()),
              .rank = loop.rank(),
              .count = u32(count),
              .chosen_stride = u32(x.empty() ? 1 : strides[dim_]),
              .dims = loop.dims()},
             Grid::quads(ids.numel()));
    return {};
  }

 private:
  Tensor x_;
  Tensor ids_;
  Tensor y_;
  Step<wgsl::gather::gather> step_;
  size_t dim_ = 0;
};

HIGHWATER_OP(Gather,
             "aten.gather.default(Tensor self, int dim, IntTensor index, *, "
             "bool sparse_grad=False) -> Tensor");

}  // namespace
}  // namespace highwater
