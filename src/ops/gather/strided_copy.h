// All ops whose output is a choice of their input's elements in some order.
#pragma once

#include "ops/map/map.h"

namespace highwater {

class StridedCopy {
 public:
  StridedCopy(Args& a, Tensor y, Tensor x, std::string_view variant)
      : map_(a, Mapped::copy(a, y, x, variant)) {}

  // y gets `dims`; its elements are x's from `offset` on, as the loop's strides say.
  Status plan(const Shapes& s, const Dims& dims, const StridedLoop& loop, int64_t offset,
              Plan& plan) const {
    return map_.plan(s, dims, loop, offset, plan);
  }

  // For outputs that are no more than a rearrangement of dims and strides.
  Status plan(const Shapes& s, const Dims& dims, const Dims& strides, int64_t offset,
              Plan& plan) const {
    StridedLoop loop;
    for (size_t i = 0; i < dims.rank(); ++i) loop.add_dim(dims[i], {strides[i]});
    return map_.plan(s, dims, loop, offset, plan);
  }

 private:
  StridedMap map_;
};

}  // namespace highwater
