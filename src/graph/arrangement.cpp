#include "graph/arrangement.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace highwater {
namespace {

using Coordinates = std::array<int64_t, Dims::kMaxRank>;

// The part of a dim past `at` that steps stay inside of.
int64_t steps_inside(int64_t extent, int64_t at, int64_t step) {
  return at < extent ? (extent - at + step - 1) / step : 0;
}

}  // namespace

int64_t Arrangement::numel() const {
  int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.size;
  return count;
}

void arrange(const Arrangement& arrangement, std::span<const std::byte> from, size_t width,
             std::span<std::byte> to) {
  const Dims &source = arrangement.source, strides = source.strides();
  const Arrangement::Axis inner = arrangement.axes.back();
  const std::span outer(arrangement.axes.data(), arrangement.axes.size() - 1);
  const int64_t runs = arrangement.numel() / std::max<int64_t>(inner.size, 1);
  const auto stride = static_cast<size_t>(inner.step * strides[inner.dim]) * width;
  std::vector<int64_t> counts(outer.size());
  Coordinates at{};
  std::memset(to.data(), 0, to.size());
  for (int64_t run = 0; run < runs; ++run) {
    int64_t offset = 0;
    bool inside = true;
    for (size_t d = 0; d < source.rank(); ++d) {
      inside = inside && (d == inner.dim || at[d] < source[d]);
      offset += at[d] * strides[d];
    }
    const int64_t count =
        inside ? std::min(inner.size, steps_inside(source[inner.dim], at[inner.dim], inner.step))
               : 0;
    const std::byte* element = from.data() + static_cast<size_t>(offset) * width;
    std::byte* place = to.data() + static_cast<size_t>(run * inner.size) * width;
    if (stride == width) {
      std::memcpy(place, element, static_cast<size_t>(count) * width);
    } else {
      for (int64_t i = 0; i < count; ++i, element += stride, place += width) {
        std::memcpy(place, element, width);
      }
    }
    for (size_t a = outer.size(); a-- > 0;) {
      at[outer[a].dim] += outer[a].step;
      if (++counts[a] < outer[a].size) break;
      at[outer[a].dim] -= counts[a] * outer[a].step;
      counts[a] = 0;
    }
  }
}

}  // namespace highwater
