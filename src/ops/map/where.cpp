#include "wgsl/where.h"

#include "graph/op.h"
#include "graph/strided.h"

namespace highwater {
namespace {

class Where final : public Op {
 public:
  explicit Where(Args& a)
      : c_(a.tensor("condition")),
        a_(a.tensor("self")),
        b_(a.tensor("other")),
        y_(a.out()),
        step_(a.step<wgsl::where>({y_, c_, a_, b_})) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &c = s[c_], &a = s[a_], &b = s[b_];
    HW_TRY(const Dims y, s.broadcast({c_, a_, b_}));
    plan.resize(y_, y);
    StridedLoop<3> loop;
    for (size_t i = 0; i < y.rank(); ++i) {
      loop.add_dim(
          y[i], {broadcast_stride(c, y, i), broadcast_stride(a, y, i), broadcast_stride(b, y, i)});
    }
    // Where nothing but whole tensors and single elements meet, quads match at any size.
    plan.run(
        step_,
        {.quads = quads_of(y.numel()),
         .rank = loop.rank(),
         .by_quad = loop.rank() <= 1 || (loop.by_quad(0) && loop.by_quad(1) && loop.by_quad(2)),
         .size = loop.sizes(),
         .c_stride = loop.strides(0),
         .a_stride = loop.strides(1),
         .b_stride = loop.strides(2),
         .c_inner_stride = u32(loop.inner_stride(0)),
         .a_inner_stride = u32(loop.inner_stride(1)),
         .b_inner_stride = u32(loop.inner_stride(2))},
        Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor c_;
  Tensor a_;
  Tensor b_;
  Tensor y_;
  Step<wgsl::where> step_;
};

HIGHWATER_OP(Where, "aten.where.self(IntTensor condition, Tensor self, Tensor other) -> Tensor");

}  // namespace
}  // namespace highwater
