// What becomes of the sums of a product before they are written.
#pragma once

#include <cstdint>
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

  // Where sums belong in y: four elements, each at its own place, or a quad.
  enum class Place : uint8_t { Elements, Quad };

  bool is_none() const { return !activation && !residual; }
  // WGSL: `epilogue(v, at)` of a quad of sums with their bias, and where in y each belongs: a
  // vec4<u32>, or the number of a quad. The residual is declared here, and so is the kernel's last
  // binding.
  std::string lines(Place place = Place::Elements) const;
  // In reports.
  std::string name() const;
};

}  // namespace highwater
