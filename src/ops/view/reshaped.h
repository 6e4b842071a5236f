// y as x with other dims: no work at all, or a plain copy where memory cannot be shared.
#pragma once

#include <optional>

#include "ops/map/map.h"

namespace highwater {

class Reshaped {
 public:
  Reshaped(Args& a, Tensor y, Tensor x) : y_(y) {
    if (!a.alias(y, x)) copy_ = Map(a, Mapped::copy(a, y, x, "copy"));
  }

  Status plan(const Shapes& s, const Dims& dims, Plan& plan) const {
    if (copy_) {
      copy_->plan(s, dims, plan);
    } else {
      plan.resize(y_, dims);
    }
    return {};
  }

 private:
  Tensor y_;
  std::optional<Map> copy_;
};

}  // namespace highwater
