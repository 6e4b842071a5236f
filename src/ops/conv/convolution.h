// What a convolution computes, whatever asked for it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "graph/op.h"
#include "ops/cover.h"
#include "ops/map/epilogue.h"
#include "ops/window/window.h"
#include "wgsl/conv/conv_depthwise.h"
#include "wgsl/conv/conv_depthwise_rows.h"
#include "wgsl/conv/conv_tile.h"
#include "wgsl/conv/conv_tile_thin.h"

namespace highwater {

class Convolution {
 public:
  struct Operands {
    Tensor y;  // float32
    Tensor x;
    Tensor
        w;  // a constant: [channels, inputs, taps…], of transposed ones [inputs, channels, taps…]
    std::optional<Tensor> bias;
    int64_t groups = 1;
  };

  Convolution() = default;
  Convolution(Args& a, const Operands& operands, const Window& window, const Epilogue& epilogue);

  // Of the output for an input of dims `x`.
  Result<Dims> output_dims(const Dims& x) const;
  // Runs what fills an output of dims `y`, which are those of a residual.
  void plan(const Dims& x, const Dims& y, Plan& plan) const;

 private:
  void declare_tiles(Args& a);
  // What a kernel binds, in order.
  std::vector<Tensor> bindings(Tensor weights) const;
  // What all kernels have in their holes.
  std::vector<Substitution> substitutions() const;
  std::string variant() const;
  void plan_tiles(const Dims& x, const Dims& y, Plan& plan) const;
  // Which tiles take so many pixels; a round of a full one for all of them is done so many times.
  Cover cover_pixels(int64_t pixels, int64_t rounds) const;
  // Input channels that a round of a tile's inner loop takes.
  int64_t step() const { return std::max<int64_t>(lanes_ / (rows_ / 4), 1); }
  // What a round costs with so many pixels a lane, as a part of one of a full tile.
  double share_of(int64_t pixels) const;
  void declare_depthwise(Args& a);
  void plan_depthwise(const Dims& x, const Dims& y, Plan& plan) const;
  void plan_depthwise_rows(const Dims& x, const Dims& y, Plan& plan) const;
  template <class Params>
  Params window_params(const Dims& x, const Dims& y) const;

  Operands o_;
  Window window_;
  Epilogue epilogue_;
  int64_t channels_ = 0;  // of y, in one group
  int64_t inputs_ = 0;    // of x, in one group
  int64_t rows_ = 0;      // channels of a tile
  uint32_t lanes_ = 1;
  Step<wgsl::conv::conv_tile> full_;       // eight pixels for each lane
  Step<wgsl::conv::conv_tile> half_;       // four
  Step<wgsl::conv::conv_tile_thin> thin_;  // a pixel for each lane, where several share the weights
  Step<wgsl::conv::conv_depthwise> depthwise_;
  int64_t row_pixels_ = 4;                                // of y that an invocation takes
  Step<wgsl::conv::conv_depthwise_rows> depthwise_rows_;  // instead, where windows are close
};

}  // namespace highwater
