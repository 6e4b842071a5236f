// What a convolution computes, whatever asked for it.
#pragma once

#include <optional>
#include <string>

#include "graph/op.h"
#include "ops/conv/epilogue.h"
#include "ops/routes.h"
#include "ops/window/window.h"
#include "wgsl/conv/conv_depthwise.h"
#include "wgsl/conv/conv_depthwise_rows.h"
#include "wgsl/conv/conv_tile.h"

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
  // How many times four pixels an invocation takes, by the number of pixels, which are the rows.
  struct Route {
    int64_t from_rows;
    int64_t quads;
    Step<wgsl::conv::conv_tile> step = {};
  };

  void declare_tiles(Args& a);
  // What a kernel binds, in order.
  std::vector<Tensor> bindings(Tensor weights) const;
  // What both kernels have in their holes.
  std::vector<Substitution> substitutions() const;
  std::string variant() const;
  void plan_tiles(const Dims& x, const Dims& y, Plan& plan) const;
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
  Routes<Route> routes_{{1, 1}, {33, 2}};
  Step<wgsl::conv::conv_depthwise> depthwise_;
  int64_t row_pixels_ = 4;                                // of y that an invocation takes
  Step<wgsl::conv::conv_depthwise_rows> depthwise_rows_;  // instead, where windows are close
};

}  // namespace highwater
