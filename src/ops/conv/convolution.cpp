#include "ops/conv/convolution.h"

#include <algorithm>

#include "ops/lanes.h"
#include "wgsl/conv/window_forward.h"
#include "wgsl/conv/window_transposed.h"

namespace highwater {
namespace {

// Many channels make much of each pixel that is loaded; more than there are would be for nothing.
int64_t tile_rows(const DeviceTraits& traits, int64_t channels) {
  if (channels <= 8 || !traits.software) return channels <= 4 ? 4 : 8;
  return channels <= 16 ? 16 : 32;
}

// Pixels that a lane takes, and beyond how many of an image it takes the most.
constexpr int64_t kFullPixels = 8, kHalfPixels = 4, kFewPixels = 32;
// Tiles of one pixel a lane, beyond which half a tile is less work.
constexpr int64_t kMostThin = 2;
// Invocations of a GPU that go the same way together.
constexpr uint32_t kGpuSubgroup = 32;
// What loading a pixel costs, in products of two quads; and a dispatch, in rounds of a full tile.
constexpr double kLoad = 12;
constexpr int64_t kRoundsOfDispatch = 160;

// From so many channels on that look at the same one, they share what is loaded of it.
constexpr int64_t kEnoughToShare = 4;

// More elements than this would not stay in registers.
constexpr int64_t kMostSpan = 24;

}  // namespace

Convolution::Convolution(Args& a, const Operands& operands, const Window& window,
                         const Epilogue& epilogue)
    : o_(operands), window_(window), epilogue_(epilogue), lanes_(usable_lanes(a.traits())) {
  const Dims &x = a.bound(o_.x), &w = a.bound(o_.w);
  const bool has_dims = (x.rank() == 3 || x.rank() == 4) && w.rank() == x.rank();
  a.require(has_dims, "an input of dims ", x, " and a weight of dims ", w);
  a.require(a.is_constant(o_.w), "its weight is not a constant of the program");
  a.require(o_.groups > 0 && has_dims && w[0] % std::max<int64_t>(o_.groups, 1) == 0,
            "a weight of dims ", w, " in ", o_.groups, " groups");
  if (!has_dims || o_.groups <= 0 || !a.is_constant(o_.w)) return;
  channels_ = window_.transposed ? w[1] : w[0] / o_.groups;
  inputs_ = window_.transposed ? w[0] / o_.groups : w[1];
  a.require(x[1] == inputs_ * o_.groups, "an input of ", x[1], " channels for a weight of dims ", w,
            " in ", o_.groups, " groups");
  if (o_.bias) {
    a.require(a.bound(*o_.bias).numel() == channels_ * o_.groups, "a bias of dims ",
              a.bound(*o_.bias), " for ", channels_ * o_.groups, " channels");
  }
  if (inputs_ == 1 && channels_ < kEnoughToShare) {
    declare_depthwise(a);
  } else {
    declare_tiles(a);
  }
}

std::vector<Tensor> Convolution::bindings(Tensor weights) const {
  std::vector<Tensor> result{o_.y, o_.x, weights, o_.bias.value_or(o_.x)};
  if (epilogue_.residual) result.push_back(*epilogue_.residual);
  return result;
}

void Convolution::declare_depthwise(Args& a) {
  // A software adapter has few invocations at a time, and loads are what it pays for.
  row_pixels_ = a.traits().software ? 8 : 4;
  // From the first element that they look at to the last.
  const int64_t span = (row_pixels_ - 1) * window_.x.stride + window_.x.extent();
  const bool is_close = !window_.transposed && window_.x.dilation == 1 &&
                        window_.x.stride < window_.x.taps && span <= kMostSpan;
  if (!is_close) {
    depthwise_ = a.step<wgsl::conv::conv_depthwise>(bindings(o_.w), substitutions(), variant());
    return;
  }
  depthwise_rows_ =
      a.step<wgsl::conv::conv_depthwise_rows>(bindings(o_.w),
                                              {{"EPILOGUE", epilogue_.lines()},
                                               {"QUADS", std::to_string(row_pixels_ / 4)},
                                               {"SPAN", std::to_string(span)},
                                               {"TAPS", std::to_string(window_.x.taps)},
                                               {"STRIDE", std::to_string(window_.x.stride)}},
                                              variant());
}

std::vector<Substitution> Convolution::substitutions() const {
  return {{"SOURCES", std::string(window_.transposed ? wgsl::conv::window_transposed::kSource.text
                                                     : wgsl::conv::window_forward::kSource.text)},
          {"EPILOGUE", epilogue_.lines()}};
}

std::string Convolution::variant() const {
  const std::string name = epilogue_.name();
  if (!window_.transposed) return name;
  return text("transposed", name.empty() ? "" : "_", name);
}

void Convolution::declare_tiles(Args& a) {
  rows_ = tile_rows(a.traits(), channels_);
  const int64_t taps = window_.taps(), tiles = ceil_div(channels_, rows_);
  const bool transposed = window_.transposed;
  // The weight's own order, and in it the dims of the packed one.
  const Dims source = transposed ? Dims{o_.groups, inputs_, channels_, taps}
                                 : Dims{o_.groups, channels_, inputs_, taps};
  const size_t channel = transposed ? 2 : 1, input = transposed ? 1 : 2;
  const Tensor packed = a.arranged(
      o_.w,
      {source,
       {{o_.groups, 0}, {tiles, channel, rows_}, {taps, 3}, {inputs_, input}, {rows_, channel}}});
  const int64_t row_quads = rows_ / 4;
  std::vector<Substitution> holes = substitutions();
  holes.insert(holes.end(),
               {{"LANES", std::to_string(lanes_)},
                {"FROM_LANE", lanes_ == 1 ? "mine${g}" : "subgroupBroadcast(mine${g}, ${l}u)"},
                {"ROWS", std::to_string(rows_)},
                {"ROW_QUADS", std::to_string(row_quads)},
                {"STEP", std::to_string(step())},
                {"LOADS", std::to_string(row_quads * step() / lanes_)}});
  const std::string rest = variant().empty() ? "" : text("_", variant());
  if (lanes_ > 1) {
    thin_ = a.step<wgsl::conv::conv_tile_thin>(bindings(packed), holes, text(rows_, "x1", rest));
  }
  const auto declare = [&](int64_t pixels) {
    std::vector<Substitution> all = holes;
    all.push_back({"QUADS", std::to_string(pixels / 4)});
    return a.step<wgsl::conv::conv_tile>(bindings(packed), all, text(rows_, "x", pixels, rest));
  };
  half_ = declare(kHalfPixels);
  full_ = declare(kFullPixels);
}

Result<Dims> Convolution::output_dims(const Dims& x) const {
  if (x[1] != inputs_ * o_.groups) {
    return fail("an input of dims ", x, " where there should be ", inputs_ * o_.groups,
                " channels");
  }
  const ImageSize size(x);
  Dims y{x[0], channels_ * o_.groups};
  if (x.rank() == 4) {
    HW_TRY(const int64_t rows, window_.output_size(window_.y, size.rows));
    y.push_back(rows);
  }
  HW_TRY(const int64_t columns, window_.output_size(window_.x, size.columns));
  y.push_back(columns);
  return y;
}

template <class Params>
Params Convolution::window_params(const Dims& x, const Dims& y) const {
  const ImageSize from(x), to(y);
  Params params{};
  params.pixels = u32(to.rows * to.columns);
  params.width = u32(to.columns);
  params.x_height = u32(from.rows);
  params.x_width = u32(from.columns);
  params.taps_y = u32(window_.y.taps);
  params.taps_x = u32(window_.x.taps);
  params.stride_y = static_cast<int32_t>(window_.y.stride);
  params.stride_x = static_cast<int32_t>(window_.x.stride);
  params.padding_y = static_cast<int32_t>(window_.y.padding);
  params.padding_x = static_cast<int32_t>(window_.x.padding);
  params.dilation_y = static_cast<int32_t>(window_.y.dilation);
  params.dilation_x = static_cast<int32_t>(window_.x.dilation);
  params.has_bias = o_.bias.has_value();
  if (epilogue_.activation) {
    params.p = epilogue_.activation->p;
    params.q = epilogue_.activation->q;
  }
  return params;
}

void Convolution::plan(const Dims& x, const Dims& y, Plan& plan) const {
  if (y.numel() == 0) return;
  if (depthwise_rows_.is_declared()) {
    plan_depthwise_rows(x, y, plan);
  } else if (depthwise_.is_declared()) {
    plan_depthwise(x, y, plan);
  } else {
    plan_tiles(x, y, plan);
  }
}

void Convolution::plan_tiles(const Dims& x, const Dims& y, Plan& plan) const {
  const int64_t rounds = window_.y.taps + window_.taps() * (1 + ceil_div(inputs_, step()));
  const int64_t channel_tiles = ceil_div(channels_, rows_);
  const int64_t images = x[0] * o_.groups * channel_tiles;
  const ImageSize size(y);
  const Cover pixels = cover_pixels(size.rows * size.columns, images * rounds);
  int64_t at = 0;
  const auto run = [&]<class K>(Step<K> step, int64_t tiles, int64_t lane_pixels) {
    if (tiles == 0) return;
    auto params = window_params<typename K::Params>(x, y);
    params.tiles = u32(images * tiles);
    params.pixel_start = u32(at);
    params.pixel_tiles = u32(tiles);
    params.channel_tiles = u32(channel_tiles);
    params.groups = u32(o_.groups);
    params.channels = u32(channels_);
    params.inputs = u32(inputs_);
    const Grid grid = Grid::lanes(images * tiles, lanes_);
    const double busy = lanes_ == 1 ? busy_share(images * tiles, grid, kGpuSubgroup) : 1;
    plan.run(step, params, grid, Rounds{rounds, busy * share_of(lane_pixels)});
    at += tiles * lane_pixels * lanes_;
  };
  run(full_, pixels.full, kFullPixels);
  run(half_, pixels.small, kHalfPixels);
  run(thin_, pixels.least, 1);
}

Cover Convolution::cover_pixels(int64_t pixels, int64_t rounds) const {
  const int64_t full = kFullPixels * lanes_, half = kHalfPixels * lanes_;
  const bool few = pixels <= kFewPixels;
  const Cover even = few ? Cover{0, ceil_div(pixels, half)} : Cover{ceil_div(pixels, full)};
  if (lanes_ == 1) return even;
  const Cover split =
      cover(ceil_div<int64_t>(pixels, lanes_), {kFullPixels, kHalfPixels, kMostThin});
  const auto work = [&](const Cover& c) {
    const int64_t steps = (c.full > 0) + (c.small > 0) + (c.least > 0);
    return static_cast<double>(rounds) *
               (static_cast<double>(c.full) + static_cast<double>(c.small) * share_of(kHalfPixels) +
                static_cast<double>(c.least) * share_of(1)) +
           static_cast<double>(steps * kRoundsOfDispatch);
  };
  return work(split) < work(even) ? split : even;
}

double Convolution::share_of(int64_t pixels) const {
  // Weights are loaded and handed around once for all pixels of a lane.
  const auto work = [&](int64_t count) {
    return static_cast<double>(rows_ / 2) +
           static_cast<double>(count) * (kLoad + static_cast<double>(rows_) / 4);
  };
  return work(pixels) / work(kFullPixels);
}

void Convolution::plan_depthwise(const Dims& x, const Dims& y, Plan& plan) const {
  auto params = window_params<wgsl::conv::conv_depthwise::Params>(x, y);
  params.plane_quads = quads_of(params.pixels);
  params.channels = u32(channels_ * o_.groups);
  params.channels_each = u32(channels_);
  const int64_t items = y[0] * y[1] * params.plane_quads;
  params.items = u32(items);
  plan.run(depthwise_, params, Grid::threads(items), Rounds{window_.y.taps + window_.taps()});
}

void Convolution::plan_depthwise_rows(const Dims& x, const Dims& y, Plan& plan) const {
  auto params = window_params<wgsl::conv::conv_depthwise_rows::Params>(x, y);
  params.row_parts = u32(ceil_div<int64_t>(params.width, row_pixels_));
  params.height = params.pixels / params.width;
  params.channels = u32(channels_ * o_.groups);
  params.channels_each = u32(channels_);
  const int64_t items = y[0] * y[1] * params.height * params.row_parts;
  params.items = u32(items);
  plan.run(depthwise_rows_, params, Grid::threads(items), Rounds{window_.y.taps});
}

}  // namespace highwater
