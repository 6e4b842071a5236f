// One kernel for all ops whose output is a choice of their input's elements in some order.
#pragma once

#include "graph/op.h"
#include "graph/strided.h"
#include "wgsl/strided_copy.h"

namespace highwater {

class StridedCopy {
 public:
  StridedCopy() = default;
  StridedCopy(Args& a, Tensor y, Tensor x, std::string_view variant)
      : y_(y), step_(a.step<wgsl::strided_copy>({y, x}, {}, variant)) {}

  // y gets `dims`; its elements are x's from `offset` on, as the loop's strides say.
  Status plan(const Dims& dims, const StridedLoop<1>& loop, int64_t offset, Plan& plan) const {
    plan.resize(y_, dims);
    if (!loop.fits()) return fail("dims ", dims, " are too many to copy at once");
    const int64_t numel = dims.numel();
    plan.run(step_,
             {.quads = quads_of(numel),
              .rank = loop.rank(),
              .by_quad = loop.by_quad(0, offset),
              .offset = u32(offset),
              .size = loop.sizes(),
              .stride = loop.strides(0),
              .inner_stride = u32(loop.inner_stride(0))},
             Grid::quads(numel));
    return {};
  }

  // For outputs that are no more than a rearrangement of dims and strides.
  Status plan(const Dims& dims, const Dims& strides, int64_t offset, Plan& plan) const {
    StridedLoop<1> loop;
    for (size_t i = 0; i < dims.rank(); ++i) loop.add_dim(dims[i], {strides[i]});
    return this->plan(dims, loop, offset, plan);
  }

 private:
  Tensor y_;
  Step<wgsl::strided_copy> step_;
};

}  // namespace highwater
