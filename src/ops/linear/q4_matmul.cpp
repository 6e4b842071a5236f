#include "ops/linear/q4_matmul.h"

#include <algorithm>
#include <span>

#include "ops/lanes.h"
#include "wgsl/linear/q4_exchange.h"
#include "wgsl/linear/q4_write_columns.h"
#include "wgsl/linear/q4_write_swiglu.h"

namespace highwater {
namespace {

using Kernel = Q4Route::Kernel;

// Large tiles load little for what they compute. On software adapters loads are what a product
// costs; on a GPU there must be enough workgroups as well.
constexpr Q4Route kSoftwareRoutes[] = {
    {1, Kernel::Lanes, 1, 4, 4}, {2, Kernel::Lanes, 4, 4, 1}, {9, Kernel::Lanes, 16, 4, 1}};
constexpr Q4Route kGpuRoutes[] = {{1, Kernel::Slices, 1, 4},   {2, Kernel::Slices, 4, 4},
                                  {5, Kernel::Slices, 8, 2},   {9, Kernel::Blocks, 12, 16},
                                  {9, Kernel::Blocks, 16, 16}, {9, Kernel::Blocks, 20, 16},
                                  {9, Kernel::Blocks, 32, 16}};

std::span<const Q4Route> routes_for(const DeviceTraits& traits) {
  if (traits.software) return kSoftwareRoutes;
  return kGpuRoutes;
}

// Of an invocation's loops along the depth, and within a block.
int64_t rounds_of(const Q4Route& route, int64_t blocks) {
  switch (route.kernel) {
    case Kernel::Lanes:
      return route.words == 4 ? blocks : blocks * (1 + 4 / route.words);
    case Kernel::Slices:
      return ceil_div<int64_t>(blocks, Grid::kWorkgroupSize / 4);
    case Kernel::Blocks:
      return blocks * (1 + 8);
  }
  return 0;
}

}  // namespace

Q4Matmul::Q4Matmul(Args& a, const Operands& operands)
    : o_(operands), lanes_(usable_lanes(a.traits())), routes_(routes_for(a.traits())) {
  const Dims &w = a.bound(o_.w), &scale = a.bound(o_.scale);
  for (Tensor y : o_.ys) {
    columns_.push_back(a.bound(y).back());
    all_columns_ += columns_.back() * (o_.swiglu ? 2 : 1);
  }
  row_bytes_ = w.back();
  scale_row_ = scale.back();
  a.require(
      w.rank() == 2 && w[0] >= all_columns_ && row_bytes_ * 2 >= o_.depth && row_bytes_ % 4 == 0,
      "a 4-bit weight of dims ", w, " does not take ", o_.depth, " inputs to ", all_columns_,
      " outputs");
  a.require(o_.group > 0 && scale_row_ >= all_columns_ &&
                scale.numel() / std::max<int64_t>(scale_row_, 1) * std::min(o_.group, o_.depth) >=
                    o_.depth,
            "scales of dims ", scale, " do not cover groups of ", o_.group, " in ", o_.depth);
  if (o_.bias) {
    a.require(a.bound(*o_.bias).numel() >= all_columns_, "a bias of dims ", a.bound(*o_.bias),
              " for ", all_columns_, " outputs");
  }
  if (tiles()) {
    declare_tiles(a);
  } else {
    a.require(o_.ys.size() == 1 && !o_.swiglu, "sizes that cannot be tiled cannot be joined");
    any_ = a.step<wgsl::linear::q4_any>(
        {o_.ys.empty() ? Tensor{} : o_.ys[0], o_.x, o_.w, o_.scale, o_.bias.value_or(o_.scale)},
        {{"NIBBLE_SWAP", o_.order == NibbleOrder::LowFirst ? "0" : "1"}});
  }
}

bool Q4Matmul::tiles() const {
  return o_.depth % 32 == 0 && row_bytes_ * 2 == o_.depth && o_.group % 32 == 0 &&
         scale_row_ % 4 == 0 &&
         std::all_of(columns_.begin(), columns_.end(), [](int64_t n) { return n % 4 == 0; });
}

void Q4Matmul::declare_tiles(Args& a) {
  for (Q4Route& route : routes_) declare_route(a, route);
}

void Q4Matmul::declare_route(Args& a, Q4Route& route) {
  const bool low_first = o_.order == NibbleOrder::LowFirst;
  std::vector<Tensor> bindings = o_.ys;
  for (Tensor t : {o_.x, o_.w, o_.scale, o_.bias.value_or(o_.scale)}) bindings.push_back(t);
  std::vector<Substitution> substitutions{
      {"ROWS", std::to_string(route.rows)},
      {"LAYERS", std::to_string(layers())},
      {"OUTPUTS", std::to_string(o_.ys.size())},
      {"LOW_SHIFTS", low_first ? "28u, 24u, 20u, 16u" : "24u, 28u, 16u, 20u"},
      {"HIGH_SHIFTS", low_first ? "12u, 8u, 4u, 0u" : "8u, 12u, 0u, 4u"},
      {"EVEN_SHIFT", low_first ? "0" : "4"},
      {"WRITE", std::string(o_.swiglu ? wgsl::linear::q4_write_swiglu::kSource.text
                                      : wgsl::linear::q4_write_columns::kSource.text)}};
  // What an invocation has in its hands at the end, and how far apart its quads of one layer are.
  const auto put = [&](int64_t rows, int64_t quads, int64_t apart) {
    substitutions.push_back({"WRITE_ROWS", std::to_string(rows)});
    substitutions.push_back({"QUADS", std::to_string(quads)});
    substitutions.push_back({"PAIRS", std::to_string(quads / 2)});
    substitutions.push_back({"LANES", std::to_string(apart)});
  };
  const std::string variant =
      text(route.rows, "x", 4 * route.quads / layers(), o_.swiglu ? "_swiglu" : "",
           o_.ys.size() > 1 ? text("_to_", o_.ys.size()) : "");
  switch (route.kernel) {
    case Kernel::Lanes:
      put(route.rows, route.quads, lanes_);
      substitutions.push_back(
          {"FROM_LANE", lanes_ == 1 ? "mine${g}" : "subgroupBroadcast(mine${g}, ${l}u)"});
      substitutions.push_back({"WORDS", std::to_string(route.words)});
      substitutions.push_back({"LOADS", std::to_string(2 * route.words * route.rows / lanes_)});
      route.tile = a.step<wgsl::linear::q4_tile>(bindings, substitutions, variant);
      break;
    case Kernel::Slices:
      put(1, route.quads, 1);
      route.slices = a.step<wgsl::linear::q4_slices>(bindings, substitutions, variant);
      break;
    case Kernel::Blocks:
      // The four invocations that share a quad of columns have a quarter of the rows each.
      put(route.rows / 4, layers(), 1);
      substitutions.push_back({"X_LOADS", std::to_string(ceil_div<int64_t>(route.rows, 8))});
      substitutions.push_back(
          {"FIRST_QUAD", o_.swiglu
                             ? "select(params.column_quads, tile_quad + my_quad, my_quad < 8u)"
                             : "tile_quad + my_quad"});
      substitutions.push_back(
          {"EXCHANGE", std::string(o_.swiglu ? wgsl::linear::q4_exchange::kSource.text : "")});
      route.blocks = a.step<wgsl::linear::q4_blocks>(bindings, substitutions, variant);
      break;
  }
}

Status Q4Matmul::plan(const Dims& x, Plan& plan) const {
  if (x.empty() || x.back() != o_.depth) {
    return fail("an input of dims ", x, " where the last should be ", o_.depth);
  }
  for (size_t i = 0; i < o_.ys.size(); ++i) {
    Dims y = x;
    y[y.rank() - 1] = columns_[i];
    plan.resize(o_.ys[i], y);
  }
  const int64_t rows = x.rows();
  if (tiles()) {
    plan_tiles(rows, plan);
  } else {
    plan_any(rows, plan);
  }
  return {};
}

// Of the blocks, the largest that leaves at most a quarter of its rows without work.
const Q4Route& Q4Matmul::route_for(int64_t rows) const {
  const Q4Route* best = &routes_.at(rows);
  if (best->kernel != Kernel::Blocks) return *best;
  for (const Q4Route& route : routes_) {
    const bool fits = 4 * rows >= 3 * round_up(rows, route.rows);
    if (route.kernel == Kernel::Blocks && fits) best = &route;
  }
  return *best;
}

void Q4Matmul::plan_tiles(int64_t rows, Plan& plan) const {
  const Q4Route& route = route_for(rows);
  switch (route.kernel) {
    case Kernel::Lanes:
      return run_tiles(route.tile, route, rows, plan);
    case Kernel::Slices:
      return run_tiles(route.slices, route, rows, plan);
    case Kernel::Blocks:
      return run_tiles(route.blocks, route, rows, plan);
  }
}

template <class K>
void Q4Matmul::run_tiles(Step<K> step, const Q4Route& route, int64_t rows, Plan& plan) const {
  typename K::Params params{};
  int64_t column_quads = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    params.output_start[i] = u32(column_quads);
    column_quads += columns_[i] / 4;
    params.output_end[i] = u32(column_quads);
  }
  const bool by_lanes = route.kernel == Kernel::Lanes;
  const int64_t tile_quads = route.quads * (by_lanes ? lanes_ : 1) / layers();
  const int64_t column_tiles = ceil_div(column_quads, tile_quads);
  const int64_t tiles = ceil_div(rows, route.rows) * column_tiles;
  params.tiles = u32(tiles);
  params.rows = u32(rows);
  params.column_tiles = u32(column_tiles);
  params.column_quads = u32(column_quads);
  params.blocks = u32(o_.depth / 32);
  params.blocks_per_group = u32(o_.group / 32);
  params.scale_row_quads = u32(scale_row_ / 4);
  params.has_bias = o_.bias.has_value();
  plan.run(step, params, by_lanes ? Grid::lanes(tiles, lanes_) : Grid::groups(tiles),
           Rounds{rounds_of(route, o_.depth / 32)});
}

void Q4Matmul::plan_any(int64_t rows, Plan& plan) const {
  const int64_t numel = rows * all_columns_;
  plan.run(any_,
           {.quads = quads_of(numel),
            .numel = u32(numel),
            .columns = u32(all_columns_),
            .depth = u32(o_.depth),
            .row_words = u32(row_bytes_ / 4),
            .group = u32(o_.group),
            .scale_row = u32(scale_row_),
            .has_bias = o_.bias.has_value()},
           Grid::quads(numel), Rounds{4 * o_.depth});
}

}  // namespace highwater
