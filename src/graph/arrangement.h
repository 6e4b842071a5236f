// A constant in another order, as a kernel wants to read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "highwater/dims.h"

namespace highwater {

// Counting along an axis of the result goes along a dim of the source, by steps of some elements.
// Several axes may go along one dim: together they say where. What lies past its end is zero, so
// that a dim can be cut into tiles that are all of one size.
struct Arrangement {
  struct Axis {
    int64_t size;
    size_t dim;
    int64_t step = 1;
  };

  Dims source;
  std::vector<Axis> axes;  // the last one is contiguous

  int64_t numel() const;

  // How many slabs it can be made by, one after the other in the result. Each is made of a stretch
  // of the source, if the first axis goes along its first dim that is more than 1; else there is
  // one.
  int64_t slabs() const;
};

// Some slabs of an arrangement: as one of its own, of these elements of the source.
struct Slabs {
  Arrangement arrangement;
  int64_t begin;
  int64_t end;
};
Slabs slabs_of(const Arrangement& all, int64_t first, int64_t end);

// Elements of `width` bytes each, from a tensor of the dims `source`, in the arrangement's order.
void arrange(const Arrangement& arrangement, std::span<const std::byte> from, size_t width,
             std::span<std::byte> to);

}  // namespace highwater
