#include "ops/conv/window.h"

namespace highwater {
namespace {

// One number serves all dims.
int64_t entry(const std::vector<int64_t>& list, size_t i, int64_t otherwise) {
  if (list.empty()) return otherwise;
  return list[list.size() == 1 ? 0 : std::min(i, list.size() - 1)];
}

}  // namespace

Window Window::read(Args& a, const Dims& kernel) {
  Window window;
  window.transposed = a.flag("transposed");
  const auto stride = a.integers("stride"), padding = a.integers("padding"),
             dilation = a.integers("dilation"), output_padding = a.integers("output_padding");
  for (const auto* list : {&stride, &padding, &dilation, &output_padding}) {
    a.require(list->size() <= 1 || list->size() == kernel.rank(), "a list of ", list->size(),
              " for the ", kernel.rank(), " dims of a window");
  }
  const auto dim = [&](size_t i) {
    return WindowDim{kernel[i], entry(stride, i, 1), entry(padding, i, 0), entry(dilation, i, 1),
                     window.transposed ? entry(output_padding, i, 0) : 0};
  };
  if (kernel.rank() == 2) window.y = dim(0);
  window.x = dim(kernel.rank() - 1);
  for (const WindowDim& d : {window.y, window.x}) {
    a.require(
        d.taps > 0 && d.stride > 0 && d.dilation > 0 && d.padding >= 0 && d.output_padding >= 0,
        "a window of ", d.taps, " taps with stride ", d.stride, ", dilation ", d.dilation,
        ", padding ", d.padding, " and output padding ", d.output_padding);
  }
  return window;
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
  const int64_t room = size + 2 * dim.padding - dim.extent();
  if (room < 0) {
    return fail("a window of ", dim.extent(), " does not fit into ", size, " and a padding of ",
                dim.padding, " on either side");
  }
  return room / dim.stride + 1;
}

}  // namespace highwater
