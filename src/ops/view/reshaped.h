// y as x with other dims: no work at all, or a plain copy where memory cannot be shared.
#pragma once

#include <optional>

#include "graph/op.h"
#include "wgsl/plain_copy.h"

namespace highwater {

class Reshaped {
 public:
  Reshaped(Args& a, Tensor y, Tensor x) : x_(x), y_(y) {
    if (!a.alias(y, x)) copy_ = a.step<wgsl::plain_copy>({y, x});
  }

  Status plan(const Shapes& s, const Dims& dims, Plan& plan) const {
    plan.resize(y_, dims);
    if (!copy_) return {};
    const int64_t numel = s[x_].numel();
    plan.run(*copy_, {.quads = quads_of(numel)}, Grid::quads(numel));
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  std::optional<Step<wgsl::plain_copy>> copy_;
};

}  // namespace highwater
