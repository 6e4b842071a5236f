// Layers with int8 weights: convolutions, and matrix products as those of a single pixel.
#pragma once

#include <optional>
#include <vector>

#include "ops/gather/strided_copy.h"
#include "ops/map/activation.h"
#include "ops/routes.h"
#include "ops/window/window.h"
#include "wgsl/quantized/q8_depthwise.h"
#include "wgsl/quantized/q8_pack.h"
#include "wgsl/quantized/q8_tile.h"

namespace highwater {

// The kernels work on pixels whose channels lie together in whole quads: channels are not live, so
// that quads are whole at every live size. What lies otherwise is packed first, and unpacked after.
class Q8Layer {
 public:
  // What a quantized result becomes by a function of the floats that it stands for.
  struct Then {
    Activation activation;
    double scale;
    int64_t zero;
  };
  // What a result becomes if it is quantized.
  struct Quantized {
    double scale;
    int64_t zero;
    bool relu;
    std::optional<Then> then = {};
  };
  // How a tensor's channels lie: each as an image of its own, or side by side in each pixel.
  struct Layout {
    bool channels_last = false;
    int64_t row = 0;  // elements of a pixel then; what is more than its channels is to spare
  };

  struct Operands {
    Tensor x;
    Tensor w;  // [columns, at least taps * channels of a group]; if depthwise, [taps, columns]
    Tensor scale;
    std::optional<Tensor> bias;
    Tensor y;
    int64_t channels;
    int64_t columns;
    double x_scale = 1;
    int64_t x_zero = 0;
    std::optional<Quantized> quantized = {};
    Layout x_layout;
    Layout y_layout;
    Window window = {};
    int64_t groups = 1;
    bool depthwise = false;
  };
  // How many images there are, and their size.
  struct Images {
    int64_t count;
    int64_t height;
    int64_t width;

    int64_t pixels() const { return saturating_mul(saturating_mul(count, height), width); }
  };

  // `most` are the images of x at its bound.
  Q8Layer(Args& a, const Operands& operands, const Images& most);

  int64_t channels() const { return o_.channels; }
  int64_t columns() const { return o_.columns; }

  // What the window makes of the images of x.
  Result<Images> result(const Images& x) const;
  // y has these dims.
  Status plan(const Shapes& s, const Images& x, const Dims& y, Plan& plan) const;

 private:
  // How many pixels and column quads a lane computes, and from how many live pixels on that is the
  // best choice. Large tiles load little for what they compute, and loads are what a product costs.
  struct Route {
    int64_t from_rows;
    int64_t pixels;
    int64_t quads;
    Step<wgsl::quantized::q8_tile> tile = {};
  };

  void check(Args& a) const;
  void declare_tiles(Args& a, const std::vector<Tensor>& bindings,
                     const std::vector<Substitution>& same);
  int64_t step_of(const Route& route) const;
  // What a sum with its bias, v, is written as.
  std::string finish() const;
  // The function that follows, if there is one.
  const Activation* activation() const;
  void plan_pack(const Images& x, Plan& plan) const;
  Status plan_unpack(const Shapes& s, const Images& images, const Dims& y, Plan& plan) const;
  template <class Params>
  Params params(const Images& x, const Images& y) const;
  int64_t group_channels() const { return o_.channels / o_.groups; }
  int64_t group_columns() const { return o_.columns / o_.groups; }
  // Of one pixel, as the kernels have it.
  int64_t x_quads() const;
  int64_t y_quads() const;
  // Whether it lies so, `channels` of it in each group.
  bool is_packed(const Layout& layout, int64_t channels, int64_t quads) const;

  Operands o_;
  int64_t w_row_ = 0;
  uint32_t lanes_ = 1;
  Routes<Route> routes_;
  std::optional<Tensor> packed_x_;
  std::optional<Tensor> packed_y_;
  Step<wgsl::quantized::q8_pack> pack_;
  std::optional<StridedCopy> unpack_;
  Step<wgsl::quantized::q8_depthwise> depthwise_;
};

// As an op's arguments have it.
Q8Layer::Quantized read_quantized(Args& a);

}  // namespace highwater
