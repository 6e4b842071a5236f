// The window of a two-dimensional convolution: which pixels it sees, and how many places it has.
#pragma once

#include <array>

#include "graph/args.h"

namespace highwater {

struct Q8Window {
  // Of rows and of columns.
  using Pair = std::array<int64_t, 2>;

  Pair kernel{1, 1};
  Pair stride{1, 1};
  Pair padding{0, 0};
  Pair dilation{1, 1};
  Pair output_padding{0, 0};
  bool transposed = false;

  // No number of a program may be more, so that what is computed of them can be counted.
  static constexpr int64_t kMost = 1 << 24;

  int64_t taps() const { return kernel[0] * kernel[1]; }

  // How many places it has along `size` pixels of a dim.
  Result<int64_t> places(size_t dim, int64_t size) const {
    const int64_t reach = dilation[dim] * (kernel[dim] - 1) + 1;
    const int64_t room =
        transposed ? (size - 1) * stride[dim] - 2 * padding[dim] + reach + output_padding[dim] - 1
                   : size + 2 * padding[dim] - reach;
    if (size < 1 || room < 0) {
      return fail("a window of ", reach, " has no place along ", size, " pixels padded by ",
                  padding[dim]);
    }
    return transposed ? room + 1 : room / stride[dim] + 1;
  }
};

// As an op's arguments have it.
inline Q8Window read_window(Args& a) {
  Q8Window window;
  const auto read = [&](std::string_view name, Q8Window::Pair& pair, int64_t least) {
    const std::vector<int64_t> given = a.integers(name);
    a.require(given.size() == 1 || given.size() == 2, "its ", name, " has ", given.size(),
              " numbers");
    for (size_t i = 0; i < 2 && !given.empty(); ++i) {
      const int64_t number = given[given.size() == 1 ? 0 : i];
      const bool is_good = number >= least && number <= Q8Window::kMost;
      a.require(is_good, "a ", name, " of ", number);
      if (is_good) pair[i] = number;
    }
  };
  read("kernel_size", window.kernel, 1);
  read("stride", window.stride, 1);
  read("padding", window.padding, 0);
  read("dilation", window.dilation, 1);
  window.transposed = a.takes("output_padding");
  if (window.transposed) read("output_padding", window.output_padding, 0);
  return window;
}

}  // namespace highwater
