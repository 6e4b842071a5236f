// Elementwise functions of one tensor.
#pragma once

#include <string_view>

#include "graph/op.h"
#include "wgsl/unary.h"

namespace highwater {

// Runs one WGSL expression over a tensor; `x` is a quad of it, `p` and `q` are two numbers.
class Elementwise {
 public:
  struct Numbers {
    double p = 0;
    double q = 0;
  };

  Elementwise() = default;
  Elementwise(Args& a, Tensor y, Tensor x, bool on_float, std::string_view expression,
              std::string_view variant, Numbers numbers);

  void plan(const Dims& dims, Plan& plan) const;

 private:
  Step<wgsl::unary> step_;
  Numbers numbers_;
};

}  // namespace highwater
