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

int64_t Arrangement::slabs() const {
  for (size_t d = 0; d < axes.front().dim; ++d) {
    if (source[d] != 1) return 1;
  }
  return axes.front().size;
}

Slabs slabs_of(const Arrangement& all, int64_t first, int64_t end) {
  Slabs result{all, 0, all.source.numel()};
  if (first == 0 && end == all.slabs()) return result;
  // How far the other axes go along the same dim.
  const size_t dim = all.axes.front().dim;
  int64_t reach = 1;
  for (size_t a = 1; a < all.axes.size(); ++a) {
    if (all.axes[a].dim == dim) reach += (all.axes[a].size - 1) * all.axes[a].step;
  }
  const int64_t rows = all.source[dim], step = all.axes.front().step;
  const int64_t first_row = std::min(first * step, rows);
  const int64_t end_row = std::clamp((end - 1) * step + reach, first_row, rows);
  const int64_t row = all.source.strides()[dim];
  result.arrangement.axes.front().size = end - first;
  result.arrangement.source[dim] = end_row - first_row;
  result.begin = first_row * row;
  result.end = end_row * row;
  return result;
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
    const std::byte* element = from.data() + (count > 0 ? static_cast<size_t>(offset) * width : 0);
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
