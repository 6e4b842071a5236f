#include "ops/quantized/q8_layer.h"

#include <algorithm>

#include "ops/lanes.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// Places of the window that an invocation of the depthwise kernel takes.
constexpr int64_t kDepthwisePixels = 4;

int64_t whole_quads(int64_t elements) {
  return ceil_div<int64_t>(elements, 4);
}

std::vector<Substitution> joined(std::vector<Substitution> same,
                                 std::initializer_list<Substitution> own) {
  same.insert(same.end(), own);
  return same;
}

}  // namespace

Q8Layer::Quantized read_quantized(Args& a) {
  const std::string activation = a.string("activation");
  a.require(activation == "none" || activation == "relu", "activation '", activation,
            "' is neither none nor relu");
  Q8Layer::Quantized result{a.number("output_scale"), a.integer("output_zero_point"),
                            activation == "relu"};
  if (auto then = Activation::read(a, "then")) {
    result.then = {std::move(*then), a.number("then_scale"), a.integer("then_zero_point")};
  }
  return result;
}

Q8Layer::Q8Layer(Args& a, const Operands& operands, const Images& most) : o_(operands) {
  check(a);
  o_.groups = std::clamp<int64_t>(o_.groups, 1, std::max<int64_t>(o_.columns, 1));
  w_row_ = a.bound(o_.w).back();
  const auto y = result(most);
  if (!y) {
    // A window that has no place even at the bound is refused when it is planned there.
    return;
  }
  const bool has_room = saturating_mul(y->pixels(), o_.columns) <= a.bound(o_.y).numel();
  a.require(has_room, "a result of dims ", a.bound(o_.y), " has no room for ", y->count,
            " images of ", y->height, " by ", y->width);
  if (!has_room) return;
  Tensor x_seen = o_.x, y_seen = o_.y;
  if (!is_packed(o_.x_layout, group_channels(), x_quads())) {
    packed_x_ = x_seen = a.scratch(a.dtype(o_.x), most.pixels() * 4 * x_quads());
    pack_ = a.step<wgsl::quantized::q8_pack>({x_seen, o_.x});
  }
  if (!is_packed(o_.y_layout, group_columns(), y_quads())) {
    a.require(!o_.y_layout.channels_last || o_.y_layout.row == o_.columns, "pixels of ",
              o_.y_layout.row, " for ", o_.columns, " columns in ", o_.groups, " groups");
    packed_y_ = y_seen = a.scratch(a.dtype(o_.y), y->pixels() * 4 * y_quads());
    unpack_ = StridedCopy(a, o_.y, y_seen, "unpack");
  }
  const bool by_quad =
      o_.depthwise ? o_.columns % 4 == 0 : group_channels() % 4 == 0 && w_row_ % 4 == 0;
  const std::vector<Tensor> bindings{y_seen, x_seen, o_.w, o_.scale, o_.bias.value_or(o_.scale)};
  const std::vector<Substitution> same{
      {"WINDOW", o_.window.transposed ? "transposed" : "plain"},
      {"WEIGHTS", by_quad ? "w_quad(at >> 2u)"
                          : "vec4<i32>(w_at(at), w_at(at + 1u), w_at(at + 2u), w_at(at + 3u))"},
      // Weights past the last channel are those of the next tap.
      {"MASK", by_quad ? "v${g}"
                       : "select(vec4<f32>(), v${g}, 4u * at${g} + vec4<u32>(0u, 1u, 2u, 3u) < "
                         "vec4<u32>(params.depth))"},
      {"ACTIVATION", activation() ? activation()->lines : ""},
      {"FINISH", finish()}};
  if (o_.depthwise) {
    depthwise_ = a.step<wgsl::quantized::q8_depthwise>(
        bindings, joined(same, {{"ROWS", std::to_string(kDepthwisePixels)}}),
        activation() ? activation()->name : "");
  } else {
    declare_tiles(a, bindings, same);
  }
}

void Q8Layer::check(Args& a) const {
  const Dims &w = a.bound(o_.w), &scale = a.bound(o_.scale);
  a.require(o_.channels > 0 && o_.columns > 0 && o_.groups > 0 && o_.channels % o_.groups == 0 &&
                o_.columns % o_.groups == 0,
            o_.channels, " channels to ", o_.columns, " in ", o_.groups, " groups");
  if (o_.groups <= 0) return;
  const bool fits = o_.depthwise
                        ? w.numel() == saturating_mul(o_.window.taps(), o_.columns) &&
                              o_.groups == o_.columns && o_.channels == o_.columns
                        : w.rank() == 2 && w[0] == o_.columns &&
                              w[1] >= saturating_mul(o_.window.taps(), o_.channels / o_.groups);
  a.require(fits, "weights of dims ", w, " for a window of ", o_.window.y.taps, " by ",
            o_.window.x.taps, " over ", o_.channels, " channels to ", o_.columns, " in ", o_.groups,
            " groups");
  a.require(a.dtype(o_.w) == DType::Int8, "weights of ", a.dtype(o_.w), ", not int8");
  const int64_t scales = o_.window.transposed ? o_.columns / o_.groups : o_.columns;
  a.require(scale.numel() >= scales, "scales of dims ", scale, " for ", scales, " columns");
  if (o_.bias) {
    a.require(a.bound(*o_.bias).numel() >= o_.columns, "a bias of dims ", a.bound(*o_.bias),
              " for ", o_.columns, " columns");
  }
  a.require(o_.quantized ? a.dtype(o_.y) == DType::Int8 : is_float(a.dtype(o_.y)), "a result of ",
            a.dtype(o_.y));
}

void Q8Layer::declare_tiles(Args& a, const std::vector<Tensor>& bindings,
                            const std::vector<Substitution>& same) {
  lanes_ = o_.groups == 1 ? usable_lanes(a.traits()) : 1;
  routes_ = lanes_ == 1 ? Routes<Route>{{1, 1, 1}, {2, 2, 1}, {3, 4, 1}}
                        : Routes<Route>{{1, 1, 2}, {2, 4, 4}, {9, 16, 4}};
  for (Route& route : routes_) {
    route.quads = std::min(route.quads, ceil_div<int64_t>(y_quads(), lanes_));
    const auto all = joined(
        same, {{"LANES", std::to_string(lanes_)},
               {"FROM_LANE", lanes_ == 1 ? "mine${g}" : "subgroupBroadcast(mine${g}, ${l}u)"},
               {"ROWS", std::to_string(route.pixels)},
               {"QUADS", std::to_string(route.quads)},
               {"STEP", std::to_string(step_of(route))},
               {"LOADS", std::to_string(route.pixels * step_of(route) / lanes_)}});
    route.tile = a.step<wgsl::quantized::q8_tile>(
        bindings, all,
        text(route.pixels, "x", 4 * route.quads, activation() ? "_" : "",
             activation() ? activation()->name : ""));
  }
}

const Activation* Q8Layer::activation() const {
  return o_.quantized && o_.quantized->then ? &o_.quantized->then->activation : nullptr;
}

// A function of a quantized result rounds twice, as the program does: to the first scale and then
// to the second. Rounding to the second alone would be less work, and a step off where the first
// scale is not much finer.
std::string Q8Layer::finish() const {
  if (!o_.quantized) return "v";
  const std::string first =
      "clamp(round(v * params.y_inverse) + params.y_zero, vec4<f32>(params.lowest), "
      "vec4<f32>(127.0))";
  if (!activation()) return first;
  return text("to_int8(activation((", first,
              " - params.y_zero) * params.y_scale), vec4<f32>(params.then_inverse), "
              "vec4<f32>(params.then_zero))");
}

int64_t Q8Layer::step_of(const Route& route) const {
  return std::max<int64_t>(lanes_ / route.pixels, 1);
}

// The depthwise kernel has every channel in its place.
int64_t Q8Layer::x_quads() const {
  return o_.depthwise ? whole_quads(o_.channels) : o_.groups * whole_quads(group_channels());
}

int64_t Q8Layer::y_quads() const {
  return o_.depthwise ? whole_quads(o_.columns) : o_.groups * whole_quads(group_columns());
}

bool Q8Layer::is_packed(const Layout& layout, int64_t channels, int64_t quads) const {
  const bool is_flat = o_.depthwise || o_.groups == 1 || channels % 4 == 0;
  return layout.channels_last && is_flat && layout.row == 4 * quads;
}

Result<Q8Layer::Images> Q8Layer::result(const Images& x) const {
  HW_TRY(const int64_t height, o_.window.output_size(o_.window.y, x.height));
  HW_TRY(const int64_t width, o_.window.output_size(o_.window.x, x.width));
  return Images{x.count, height, width};
}

template <class Params>
Params Q8Layer::params(const Images& x, const Images& y) const {
  Params p{};
  p.pixels = u32(y.pixels());
  p.columns = u32(o_.columns);
  p.column_quads = u32(y_quads());
  p.group_columns = u32(group_columns());
  p.group_column_quads = u32(y_quads() / o_.groups);
  p.depth = u32(group_channels());
  p.depth_quads = u32(whole_quads(group_channels()));
  p.x_quads = u32(x_quads());
  p.w_row = u32(w_row_);
  p.scale_period = u32(o_.window.transposed ? group_columns() : o_.columns);
  p.has_bias = o_.bias.has_value();
  p.x_height = u32(x.height);
  p.x_width = u32(x.width);
  p.y_height = u32(y.height);
  p.y_width = u32(y.width);
  p.taps = u32(o_.window.taps());
  p.kernel_width = u32(o_.window.x.taps);
  const auto i32 = [](int64_t n) { return static_cast<int32_t>(n); };
  p.stride_y = i32(o_.window.y.stride);
  p.stride_x = i32(o_.window.x.stride);
  p.padding_y = i32(o_.window.y.padding);
  p.padding_x = i32(o_.window.x.padding);
  p.dilation_y = i32(o_.window.y.dilation);
  p.dilation_x = i32(o_.window.x.dilation);
  p.x_scale = narrow_to_float(o_.x_scale);
  p.x_zero = static_cast<float>(o_.x_zero);
  if (o_.quantized) {
    p.y_inverse = narrow_to_float(1.0 / o_.quantized->scale);
    p.y_zero = static_cast<float>(o_.quantized->zero);
    // What is negative is 0, and 0 is the zero point.
    p.lowest = o_.quantized->relu ? std::max(p.y_zero, -128.0f) : -128.0f;
  }
  if (activation()) {
    p.p = activation()->p;
    p.q = activation()->q;
    p.y_scale = narrow_to_float(o_.quantized->scale);
    p.then_inverse = narrow_to_float(1.0 / o_.quantized->then->scale);
    p.then_zero = static_cast<float>(o_.quantized->then->zero);
  }
  return p;
}

Status Q8Layer::plan(const Shapes& s, const Images& x, const Dims& y_dims, Plan& plan) const {
  HW_TRY(const Images y, result(x));
  if (packed_x_) plan_pack(x, plan);
  if (packed_y_) plan.resize(*packed_y_, {y.pixels() * 4 * y_quads()});
  if (o_.depthwise) {
    auto p = params<wgsl::quantized::q8_depthwise::Params>(x, y);
    const int64_t tiles = ceil_div(y.pixels(), kDepthwisePixels) * y_quads();
    p.tiles = u32(tiles);
    plan.run(depthwise_, p, Grid::threads(tiles), Rounds{o_.window.taps()});
  } else {
    const Route& route = routes_.at(y.pixels());
    auto p = params<wgsl::quantized::q8_tile::Params>(x, y);
    const int64_t column_tiles = ceil_div<int64_t>(y_quads(), lanes_ * route.quads);
    const int64_t tiles = ceil_div(y.pixels(), route.pixels) * column_tiles;
    p.tiles = u32(tiles);
    p.column_tiles = u32(column_tiles);
    const int64_t steps = ceil_div<int64_t>(p.depth_quads, step_of(route));
    plan.run(route.tile, p, Grid::lanes(tiles, lanes_), Rounds{o_.window.taps() * (steps + 1)});
  }
  if (packed_y_) return plan_unpack(s, y, y_dims, plan);
  plan.resize(o_.y, y_dims);
  return {};
}

void Q8Layer::plan_pack(const Images& x, Plan& plan) const {
  const int64_t image = x.height * x.width, quads = x.pixels() * x_quads();
  const Layout& from = o_.x_layout;
  plan.resize(*packed_x_, {4 * quads});
  plan.run(pack_,
           {.quads = u32(quads),
            .pixels = u32(x.pixels()),
            .image_pixels = u32(image),
            .image_stride = u32(image * (from.channels_last ? from.row : o_.channels)),
            .pixel_stride = u32(from.channels_last ? from.row : 1),
            .channel_stride = u32(from.channels_last ? 1 : image),
            .group_channels = u32(o_.depthwise ? o_.channels : group_channels()),
            .group_quads = u32(o_.depthwise ? x_quads() : x_quads() / o_.groups),
            .pixel_quads = u32(x_quads())},
           Grid::threads(quads));
}

Status Q8Layer::plan_unpack(const Shapes& s, const Images& images, const Dims& y,
                            Plan& plan) const {
  const int64_t image = images.height * images.width, pixel = 4 * y_quads();
  const int64_t groups = o_.depthwise ? 1 : o_.groups;
  const bool channels_last = o_.y_layout.channels_last;
  StridedLoop loop;
  loop.add_dim(images.count, {image * pixel});
  if (channels_last) loop.add_dim(image, {pixel});
  loop.add_dim(groups, {pixel / groups});
  loop.add_dim(o_.columns / groups, {1});
  if (!channels_last) loop.add_dim(image, {pixel});
  return unpack_->plan(s, y, loop, 0, plan);
}

}  // namespace highwater
