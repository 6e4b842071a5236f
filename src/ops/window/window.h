// Windows that slide over images: what each pixel of an output looks at.
#pragma once

#include <cstdint>

#include "graph/op.h"

namespace highwater {

// Along one dim of an image.
struct WindowDim {
  int64_t taps = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  int64_t output_padding = 0;  // of transposed ones

  // From its first tap to its last.
  int64_t extent() const { return dilation * (taps - 1) + 1; }
  // Whether kernels can count with its numbers.
  bool is_valid() const;
  // How many places it has along `size` pixels; none if it does not fit even once. Where the last
  // may be cut off (`partial`), it still begins inside of the image or in the padding before it.
  int64_t places(int64_t size, bool partial) const;
};

// An image has rows and columns; a sequence is an image of one row.
struct Window {
  WindowDim y, x;
  bool transposed = false;
  bool partial = false;  // the last place may be cut off

  // Reads stride, padding, dilation and what else an op has by their names in the schema. `kernel`
  // are the taps of each dim. What is not valid is refused, and then the window has one tap.
  static Window read(Args& a, const Dims& kernel);
  // The same where "kernel_size" says the taps of rows and columns.
  static Window read(Args& a);

  int64_t taps() const { return y.taps * x.taps; }
  // The size of the output along a dim, for an input of `size`.
  Result<int64_t> output_size(const WindowDim& dim, int64_t size) const;
};

// The rows and columns of a tensor [batch, channels, (rows,) columns].
struct ImageSize {
  int64_t rows;
  int64_t columns;

  explicit ImageSize(const Dims& dims)
      : rows(dims.rank() > 3 ? dims[2] : 1), columns(dims.back()) {}
};

}  // namespace highwater
