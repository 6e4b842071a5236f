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

// Large tiles load little for what they compute. On software adapters they may have as many sums as
// there are registers; on a GPU there must be enough workgroups as well.
constexpr int64_t kMostLaneQuads = 2;
constexpr Q4Route kSoftwareRoutes[] = {{1, Kernel::Lanes, 1, 1, 4},
                                       {2, Kernel::Lanes, 4, kMostLaneQuads, 1},
                                       {9, Kernel::Lanes, 16, kMostLaneQuads, 1}};
constexpr Q4Route kGpuRoutes[] = {{1, Kernel::Slices, 1, 4},   {2, Kernel::Slices, 4, 4},
                                  {5, Kernel::Slices, 8, 2},   {9, Kernel::Blocks, 12, 16},
                                  {9, Kernel::Blocks, 16, 16}, {9, Kernel::Blocks, 20, 16},
                                  {9, Kernel::Blocks, 32, 16}};

std::span<const Q4Route> routes_for(const DeviceTraits& traits) {
  if (traits.software) return kSoftwareRoutes;
  return kGpuRoutes;
}

// Of an invocation's loops along the depth, within a block, and over layers.
int64_t rounds_of(const Q4Route& route, int64_t blocks, int64_t layers) {
  switch (route.kernel) {
    case Kernel::Lanes:
      return layers * (1 + blocks * (1 + 4 / route.words));
    case Kernel::Slices:
      return ceil_div<int64_t>(blocks, Grid::kWorkgroupSize / 4);
    case Kernel::Blocks:
      return blocks * (1 + 8);
  }
  return 0;
}

}  // namespace

Q4Matmul::Q4Matmul(Args& a, const Operands& operands)
    : o_(operands),
      most_rows_(o_.ys.empty() ? 0 : a.bound(o_.ys[0]).rows()),
      input_(a, o_.input, most_rows_, o_.depth),
      lanes_(usable_lanes(a.traits())),
      routes_(routes_for(a.traits())) {
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
  if (o_.residual) {
    a.require(o_.ys.size() == 1 && !o_.swiglu && a.bound(*o_.residual) == a.bound(o_.ys[0]),
              "a residual of dims ", a.bound(*o_.residual), " for ", o_.ys.size(), " outputs");
  }
  if (tiles()) {
    declare_tiles(a);
  } else {
    a.require(o_.ys.size() == 1 && !o_.swiglu && !o_.residual && !input_.is_made(),
              "sizes that cannot be tiled cannot be joined");
    any_ = a.step<wgsl::linear::q4_any>(
        {o_.ys.empty() ? Tensor{} : o_.ys[0], o_.input.x, o_.w, o_.scale,
         o_.bias.value_or(o_.scale)},
        {{"NIBBLE_SWAP", o_.order == NibbleOrder::LowFirst ? "0" : "1"}});
  }
}

bool Q4Matmul::tiles() const {
  return o_.depth % 32 == 0 && row_bytes_ * 2 == o_.depth && o_.group % 32 == 0 &&
         scale_row_ % 4 == 0 &&
         std::all_of(columns_.begin(), columns_.end(), [](int64_t n) { return n % 4 == 0; });
}

// Those that some live number of rows picks.
void Q4Matmul::declare_tiles(Args& a) {
  if (a.traits().software) pack_weight(a);
  std::optional<Tensor> made;
  for (Q4Route& route : routes_) {
    if (route.from_rows > std::max<int64_t>(most_rows_, 1)) continue;
    Tensor x = o_.input.x;
    if (!sees_for_itself(route)) {
      if (!made) made = input_.declare_made(a);
      x = *made;
    }
    declare_route(a, route, x);
  }
}

// In the order in which the lanes of a tile read it: neighbours side by side, and every byte of a
// cache line soon after the others. A tile has so many quads for each lane, one after the other.
void Q4Matmul::pack_weight(Args& a) {
  const Dims w = a.bound(o_.w);
  is_packed_ = a.is_own_constant(o_.w) && w.rank() == 2 && w[0] == all_columns_;
  if (!is_packed_) return;
  constexpr int64_t kBlockBytes = 16;
  const int64_t rows = w[0] / layers(), lane_columns = 4 * int64_t{lanes_};
  o_.w =
      a.arranged(o_.w, {{layers(), rows, row_bytes_},
                        {{round_up(ceil_div(rows, lane_columns), kMostLaneQuads), 1, lane_columns},
                         {layers(), 0},
                         {row_bytes_ / kBlockBytes, 2, kBlockBytes},
                         {4, 1},
                         {lanes_, 1, 4},
                         {kBlockBytes, 2}}});
}

void Q4Matmul::declare_route(Args& a, Q4Route& route, Tensor x) {
  const bool low_first = o_.order == NibbleOrder::LowFirst;
  std::vector<Substitution> substitutions{
      {"ROWS", std::to_string(route.rows)},
      {"LAYERS", std::to_string(layers())},
      {"LOW_SHIFTS", low_first ? "28u, 24u, 20u, 16u" : "24u, 28u, 16u, 20u"},
      {"HIGH_SHIFTS", low_first ? "12u, 8u, 4u, 0u" : "8u, 12u, 0u, 4u"},
      {"EVEN_SHIFT", low_first ? "0" : "4"},
      {"MORE_INPUTS", more_inputs(route)},
      {"RESIDUAL", o_.residual ? "vec4<f32>(residual_quad((row + ${m}u) * params.column_quads + "
                                 "quad${c}))"
                               : "vec4<f32>()"},
      {"WRITE", std::string(o_.swiglu ? wgsl::linear::q4_write_swiglu::kSource.text
                                      : wgsl::linear::q4_write_columns::kSource.text)}};
  // What an invocation has in its hands at the end, and how far apart its quads of one layer are.
  const auto put = [&](int64_t rows, int64_t quads, int64_t apart) {
    substitutions.push_back({"WRITE_ROWS", std::to_string(rows)});
    substitutions.push_back({"QUADS", std::to_string(quads)});
    substitutions.push_back({"PAIRS", std::to_string(quads / 2)});
    substitutions.push_back({"LANES", std::to_string(apart)});
  };
  if (route.kernel == Kernel::Lanes) {
    put(route.rows, route.quads, lanes_);
    substitutions.push_back({"BIAS", o_.bias ? "vec4<f32>(bias_quad(quad))" : "vec4<f32>()"});
    return declare_lanes(a, route, x, std::move(substitutions));
  }
  substitutions.push_back({"BIAS", o_.bias ? "vec4<f32>(bias_quad(quad${c}))" : "vec4<f32>()"});
  const std::vector<Tensor> bindings = bindings_of(route, all_outputs(), x);
  const std::string variant = variant_of(route, all_outputs());
  substitutions.push_back({"OUTPUTS", std::to_string(o_.ys.size())});
  switch (route.kernel) {
    case Kernel::Lanes:
      break;
    case Kernel::Slices:
      put(1, route.quads, 1);
      input_.fill(substitutions, route.rows);
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

void Q4Matmul::declare_lanes(Args& a, Q4Route& route, Tensor x,
                             std::vector<Substitution> substitutions) {
  const std::vector<Substitution> own{
      {"W_AT", is_packed_ ? "((((column_tile * ${QUADS}u + ${c}u) * params.layers + layer) * "
                            "params.blocks + block) * 4u + ${r}u) * ${LANES}u + lane"
                          : "(4u * w_quad${c} + ${r}u) * params.blocks + block"},
      {"SUMS", std::to_string(route.rows * route.quads)},
      {"FROM_LANE", lanes_ == 1 ? "mine${g}" : "subgroupBroadcast(mine${g}, ${l}u)"},
      {"WORDS", std::to_string(route.words)},
      {"LOADS", std::to_string(2 * route.words * route.rows / lanes_)}};
  substitutions.insert(substitutions.end(), own.begin(), own.end());
  const size_t count = is_by_output(route) ? 1 : o_.ys.size();
  substitutions.push_back({"OUTPUTS", std::to_string(count)});
  for (size_t i = 0; i < o_.ys.size(); i += count) {
    const Window window{i, count};
    route.tiles[i] = a.step<wgsl::linear::q4_tile>(bindings_of(route, window, x), substitutions,
                                                   variant_of(route, window));
  }
}

// Each output in a dispatch of its own needs no kernel but that of one output. For a single row
// another dispatch would take longer than what it does.
bool Q4Matmul::is_by_output(const Q4Route& route) const {
  if (route.kernel != Kernel::Lanes || route.rows == 1) return false;
  int64_t start = 0;
  for (int64_t columns : columns_) {
    if (start % (4 * tile_quads(route)) != 0) return false;
    start += columns;
  }
  return true;
}

std::vector<Tensor> Q4Matmul::bindings_of(const Q4Route& route, const Window& window,
                                          Tensor x) const {
  std::vector<Tensor> bindings(o_.ys.begin() + static_cast<ptrdiff_t>(window.first),
                               o_.ys.begin() + static_cast<ptrdiff_t>(window.first + window.count));
  for (Tensor t : {x, o_.w, o_.scale}) bindings.push_back(t);
  for (const auto& [name, tensor] : more_of(route, x)) bindings.push_back(tensor);
  return bindings;
}

// What only some products read. Tiles take long to compile: all of software adapters share those
// that could read a residual, and where there is none it is given x.
std::vector<std::pair<std::string_view, Tensor>> Q4Matmul::more_of(const Q4Route& route,
                                                                   Tensor x) const {
  std::vector<std::pair<std::string_view, Tensor>> more;
  if (o_.bias) more.emplace_back("bias", *o_.bias);
  if (o_.residual || route.kernel == Kernel::Lanes) {
    more.emplace_back("residual", o_.residual.value_or(x));
  }
  if (sees_for_itself(route) && o_.input.norm_weight) {
    more.emplace_back("norm_weight", *o_.input.norm_weight);
  }
  return more;
}

std::string Q4Matmul::more_inputs(const Q4Route& route) const {
  std::string lines;
  for (const auto& [name, tensor] : more_of(route, o_.input.x)) {
    lines += text("#input ", name, "\n");
  }
  return lines;
}

std::string Q4Matmul::variant_of(const Q4Route& route, const Window& window) const {
  const int64_t quads = route.kernel == Kernel::Lanes ? route.quads : route.quads / layers();
  return text(route.rows, "x", 4 * quads, o_.swiglu ? "_swiglu" : "",
              window.count > 1 ? text("_to_", window.count) : "", o_.residual ? "_residual" : "",
              sees_for_itself(route) ? input_.variant() : "");
}

int64_t Q4Matmul::tile_quads(const Q4Route& route) const {
  return route.kernel == Kernel::Lanes ? route.quads * lanes_ : route.quads / layers();
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
  if (!sees_for_itself(route)) input_.plan_made(rows, plan);
  const size_t count = is_by_output(route) ? 1 : o_.ys.size();
  switch (route.kernel) {
    case Kernel::Lanes:
      for (size_t i = 0; i < o_.ys.size(); i += count) {
        run_tiles(route.tiles[i], route, {i, count}, rows, plan);
      }
      return;
    case Kernel::Slices:
      return run_tiles(route.slices, route, all_outputs(), rows, plan);
    case Kernel::Blocks:
      return run_tiles(route.blocks, route, all_outputs(), rows, plan);
  }
}

template <class K>
void Q4Matmul::run_tiles(Step<K> step, const Q4Route& route, const Window& window, int64_t rows,
                         Plan& plan) const {
  typename K::Params params{};
  int64_t column_quads = 0;
  for (size_t i = 0; i < window.first; ++i) column_quads += columns_[i] / 4;
  const int64_t first_quad = column_quads;
  for (size_t i = 0; i < window.count; ++i) {
    params.output_start[i] = u32(column_quads);
    column_quads += columns_[window.first + i] / 4;
    params.output_end[i] = u32(column_quads);
  }
  const bool by_lanes = route.kernel == Kernel::Lanes;
  const bool looks_first = sees_for_itself(route) && o_.input.int8;
  const int64_t input_rounds =
      looks_first ? ceil_div<int64_t>(o_.depth / 4, Grid::kWorkgroupSize) : 0;
  const int64_t column_tiles = ceil_div(column_quads - first_quad, tile_quads(route));
  const int64_t tiles = ceil_div(rows, route.rows) * column_tiles;
  params.tiles = u32(tiles);
  params.rows = u32(rows);
  params.column_tiles = u32(column_tiles);
  params.column_quads = u32(column_quads);
  params.blocks = u32(o_.depth / 32);
  params.blocks_per_group = u32(o_.group / 32);
  params.scale_row_quads = u32(scale_row_ / 4);
  params.layers = u32(layers());
  params.has_residual = o_.residual.has_value();
  params.inverse_depth = 1.0f / static_cast<float>(o_.depth);
  params.norm_eps = o_.input.norm_eps;
  params.range_eps = o_.input.int8.value_or(Int8Range()).eps;
  plan.run(step, params, by_lanes ? Grid::lanes(tiles, lanes_) : Grid::groups(tiles),
           Rounds{rounds_of(route, o_.depth / 32, layers()) + input_rounds});
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
