// Channels that become pixels: the walk over x, and the dims of the result.
#pragma once

#include "graph/op.h"
#include "graph/strided.h"

namespace highwater {

// [..., C * r * r, H, W] as [..., C, r, r, H, W], put in the order [..., C, H, r, W, r].
struct ShuffledPixels {
  Dims dims;
  StridedLoop loop;

  static int64_t read_factor(Args& a, Tensor x) {
    const int64_t factor = a.integer("upscale_factor");
    a.require(a.bound(x).rank() >= 3, "an input of dims ", a.bound(x));
    // Its square fits.
    const bool is_good = factor > 0 && factor < int64_t{1} << 31;
    a.require(is_good, "an upscale factor of ", factor);
    return is_good ? factor : 1;
  }

  static Result<ShuffledPixels> of(const Dims& x, int64_t r) {
    const size_t rank = x.rank();
    const int64_t height = x[rank - 2], width = x[rank - 1], area = height * width;
    const int64_t channels = x[rank - 3] / (r * r);
    if (channels * r * r != x[rank - 3]) {
      return fail(x[rank - 3], " channels in ", x, " for squares of ", r, " by ", r);
    }
    ShuffledPixels y{x, {}};
    y.dims[rank - 3] = channels;
    y.dims[rank - 2] = saturating_mul(height, r);
    y.dims[rank - 1] = saturating_mul(width, r);
    y.loop.add_dim(x.product(0, rank - 3), {x[rank - 3] * area});
    y.loop.add_dim(channels, {r * r * area});
    y.loop.add_dim(height, {width});
    y.loop.add_dim(r, {r * area});
    y.loop.add_dim(width, {1});
    y.loop.add_dim(r, {area});
    return y;
  }
};

}  // namespace highwater
