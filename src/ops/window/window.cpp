#include "ops/window/window.h"

#include <algorithm>
#include <vector>

namespace highwater {
namespace {

// One number serves all dims.
int64_t entry(const std::vector<int64_t>& list, size_t i, int64_t otherwise) {
  return list.empty() ? otherwise : list[std::min(i, list.size() - 1)];
}

std::vector<int64_t> integers_if_taken(Args& a, std::string_view name) {
  return a.takes(name) ? a.integers(name) : std::vector<int64_t>();
}

}  // namespace

bool WindowDim::is_valid() const {
  constexpr int64_t kMost = 1 << 24, kMostExtent = 1 << 30;
  const auto counts = [](int64_t n, int64_t least) { return n >= least && n <= kMost; };
  return counts(taps, 1) && counts(stride, 1) && counts(dilation, 1) && counts(padding, 0) &&
         counts(output_padding, 0) && extent() <= kMostExtent;
}

int64_t WindowDim::places(int64_t size, bool partial) const {
  const int64_t room = size + 2 * padding - extent() + (partial ? stride - 1 : 0);
  if (room < 0) return 0;
  const int64_t last = room / stride;
  return partial && last * stride >= size + padding ? last : last + 1;
}

Window Window::read(Args& a, const Dims& kernel) {
  const auto stride = a.integers("stride"), padding = a.integers("padding"),
             dilation = integers_if_taken(a, "dilation"),
             output_padding = integers_if_taken(a, "output_padding");
  for (const auto* list : {&stride, &padding, &dilation, &output_padding}) {
    a.require(list->size() <= 1 || list->size() == kernel.rank(), "a list of ", list->size(),
              " for the ", kernel.rank(), " dims of a window");
  }
  Window window;
  // An op that is always transposed has no word for it.
  window.transposed = a.takes("transposed") ? a.flag("transposed") : a.takes("output_padding");
  const auto dim = [&](size_t i) {
    // Without a stride, windows stand side by side.
    const WindowDim d{kernel[i], entry(stride, i, kernel[i]), entry(padding, i, 0),
                      entry(dilation, i, 1), window.transposed ? entry(output_padding, i, 0) : 0};
    a.require(d.is_valid(), "a window of ", d.taps, " taps with stride ", d.stride, ", dilation ",
              d.dilation, ", padding ", d.padding, " and output padding ", d.output_padding);
    return d.is_valid() ? d : WindowDim{};
  };
  if (kernel.rank() == 2) window.y = dim(0);
  if (kernel.rank() > 0) window.x = dim(kernel.rank() - 1);
  return window;
}

Window Window::read(Args& a) {
  const std::vector<int64_t> given = a.integers("kernel_size");
  a.require(given.size() == 1 || given.size() == 2, "its kernel_size has ", given.size(),
            " numbers");
  return read(a, Dims{entry(given, 0, 1), entry(given, 1, 1)});
}

Result<int64_t> Window::output_size(const WindowDim& dim, int64_t size) const {
  if (transposed) {
    const int64_t result =
        (size - 1) * dim.stride - 2 * dim.padding + dim.extent() + dim.output_padding;
    if (size < 1 || result < 1) {
      return fail("an image of ", size, " cannot be spread by a stride of ", dim.stride,
                  " less a padding of ", dim.padding);
    }
    return result;
  }
  const int64_t places = dim.places(size, partial);
  if (size < 1 || places < 1) {
    return fail("a window of ", dim.extent(), " does not fit into ", size, " and a padding of ",
                dim.padding, " on either side");
  }
  return places;
}

}  // namespace highwater
