// What becomes of a convolution's sums before they are written.
#pragma once

#include <optional>
#include <string>

#include "graph/op.h"
#include "ops/map/activation.h"

namespace highwater {

// A residual may be added to a sum, and an activation taken of it, in either order. Both happen in
// the registers that the sum is in, so that nothing is written only to be read again.
struct Epilogue {
  std::optional<Activation> activation;
  std::optional<Tensor> residual;  // of y's dims
  bool adds_last = false;          // the residual, after the activation

  // As the op's arguments have it.
  static Epilogue read(Args& a);

  // WGSL: `epilogue(v, at)` of a quad of sums with their bias, and where in y each belongs. The
  // residual is declared here, and so is the kernel's last binding.
  std::string lines() const;
  // In reports.
  std::string name() const;
};

}  // namespace highwater
