#include "ops/linear/matmul.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "ops/cover.h"
#include "ops/lanes.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

struct BiasStrides {
  int64_t row;
  int64_t column;
};

// A bias that is one row, or one column, at its bound serves all of them.
Result<BiasStrides> bias_strides(const Dims& bias, const Dims& bound, int64_t rows,
                                 int64_t columns) {
  const auto height_of = [](const Dims& d) { return d.rank() >= 2 ? d[d.rank() - 2] : 1; };
  const int64_t height = height_of(bias), width = bias.back();
  const bool one_row = height == 1 && height_of(bound) == 1;
  const bool one_column = width == 1 && bound.back() == 1;
  if (bias.numel() != height * width || (!one_row && height != rows) ||
      (!one_column && width != columns)) {
    return fail("a bias of dims ", bias, " for ", rows, " rows of ", columns);
  }
  return BiasStrides{one_row ? 0 : width, one_column ? 0 : 1};
}

// Rows of the largest tile, and of the smaller ones for the columns that it leaves.
constexpr int64_t kMostRows = 16;
// Quads of columns, beyond which a thin tile is less work than narrow ones.
constexpr int64_t kMostNarrow = 2;

// What a software adapter takes for loading a quad, in products of two: from an image and a buffer.
constexpr double kImageLoad = 6, kBufferLoad = 50;

bool has_whole_quads(int64_t columns, int64_t depth) {
  return columns % 4 == 0 && depth % 4 == 0;
}

}  // namespace

Routes<Matmul::Route> Matmul::routes_for(uint32_t lanes, int64_t column_quads, int64_t layers) {
  Routes<Route> result = lanes == 1 ? Routes<Route>{{1, {1, 1}}, {2, {2, 1}}, {3, {4, 1}}}
                                    : Routes<Route>{{1, {1, 2}}, {2, {4, 4}}, {9, {kMostRows, 4}}};
  for (Route& route : result) {
    Tile& tile = route.tile;
    tile.lanes = lanes;
    // No more than it takes for all columns; of each layer as many.
    const int64_t most = layers * std::max<int64_t>(ceil_div<int64_t>(column_quads, lanes), 1);
    tile.quads = std::min(std::max(tile.quads, layers), most);
    tile.quads -= tile.quads % layers;
  }
  return result;
}

void Matmul::add_small_tiles() {
  const Tile& largest = routes_.at(kMostRows).tile;
  if (lanes_ == 1 || largest.quads == 1) return;
  thin_ = {.rows = largest.rows, .quads = 1, .lanes = lanes_};
  narrow_ = {.rows = largest.rows, .quads = 1};
}

std::vector<Matmul::Tile*> Matmul::tiles() {
  std::vector<Tile*> result;
  for (Route& route : routes_) result.push_back(&route.tile);
  for (Tile* tile : {&thin_, &narrow_}) {
    if (tile->is_used()) result.push_back(tile);
  }
  return result;
}

Matmul::Matmul(Args& a, const Operands& operands) : o_(operands), lanes_(usable_lanes(a.traits())) {
  if (o_.bias) bias_bound_ = a.bound(*o_.bias);
  a.require(o_.layout == WeightLayout::DepthByColumns || bias_bound_.rank() <= 1, "a bias of dims ",
            bias_bound_, " for a linear layer");
  const Dims& w = a.bound(o_.w);
  a.require(w.rank() >= 2, "a weight of dims ", w);
  if (w.rank() < 2) return;
  const bool by_depth = o_.layout == WeightLayout::ColumnsByDepth;
  const int64_t columns = w[w.rank() - (by_depth ? 2 : 1)],
                depth = w[w.rank() - (by_depth ? 1 : 2)];
  bool whole = has_whole_quads(columns, depth);
  if (o_.ys.size() > 1) {
    for (Tensor y : o_.ys) widths_.push_back(a.bound(y).back());
    for (int64_t width : widths_) whole = whole && width % 4 == 0;
  }
  if (o_.ys.size() != 1 || o_.swiglu) {
    const int64_t joined = std::accumulate(widths_.begin(), widths_.end(), int64_t{0});
    const bool fits = whole && a.is_constant(o_.w) && columns % (4 * layers()) == 0 &&
                      (o_.swiglu ? o_.ys.size() == 1 : o_.ys.size() <= 3 && joined == columns);
    a.require(fits, "a weight of dims ", w, " cannot be that of ", o_.ys.size(), " outputs");
    if (!fits) return;
  }
  weight_is_constant_ = a.is_constant(o_.w);
  routes_ = routes_for(lanes_, ceil_div<int64_t>(columns / layers(), 4), layers());
  // A constant has one size; what is computed may have one of either kind.
  if (!weight_is_constant_) add_small_tiles();
  if (whole || !weight_is_constant_) declare_whole(a);
  if (!whole || !weight_is_constant_) declare_ragged(a);
}

Status Matmul::plan(const Shapes& s, const Problem& p, Plan& plan) const {
  BiasStrides bias{0, 0};
  if (o_.bias) {
    HW_TRY(bias, bias_strides(p.bias, bias_bound_, p.rows, p.columns));
  }
  const bool whole = has_whole_quads(p.columns, p.depth);
  const int64_t batch = p.shared_weight ? 0 : p.columns * p.depth;
  Params params{};
  params.rows = u32(p.rows);
  params.columns = u32(p.columns);
  params.column_quads = u32(ceil_div<int64_t>(p.columns / layers(), 4));
  params.depth = u32(p.depth);
  params.depth_quads = u32(ceil_div<int64_t>(p.depth, 4));
  params.w_batch = u32(whole ? batch / 4 : batch);
  params.bias_row = u32(bias.row);
  params.bias_column = u32(bias.column);
  params.alpha = narrow_to_float(o_.alpha);
  params.beta = o_.bias ? narrow_to_float(o_.beta) : 0.0f;
  if (o_.epilogue.activation) {
    params.p = o_.epilogue.activation->p;
    params.q = o_.epilogue.activation->q;
  }
  place_outputs(params.column_quads, params);
  const bool widened = !whole && wide_y_;
  if (o_.ys.size() == 1 && !widened) plan.resize(o_.ys[0], p.y);
  if (widened) plan.resize(*wide_y_, {p.y.numel()});
  if (const auto& on_gpu = whole ? whole_on_gpu_ : ragged_on_gpu_) {
    on_gpu->plan(params, p.batch, plan);
  } else {
    plan_parts(params, p.batch, plan);
  }
  if (!widened) return {};
  StridedLoop loop;
  loop.add_dim(p.y.numel(), {1});
  return narrow_y_->plan(s, p.y, loop, 0, plan);
}

void Matmul::plan_parts(const Params& params, int64_t batch, Plan& plan) const {
  const int64_t rows = params.rows, quads = params.column_quads;
  const Tile& tile = routes_.at(rows).tile;
  const int64_t width = tile.width() / layers();
  const Cover columns = thin_.is_used() && tile.rows == thin_.rows
                            ? cover(quads, {width, thin_.width(), kMostNarrow})
                            : Cover{ceil_div(quads, width)};
  const int64_t rows_over = rows % tile.rows;
  const Tile& small = routes_.at(rows_over).tile;
  const bool splits = lanes_ > 1 && rows_over > 0 && small.rows < tile.rows;
  const int64_t even_rows = splits ? rows - rows_over : rows;
  plan_part(tile, {0, even_rows, 0, columns.full}, batch, params, plan);
  const int64_t thin_from = columns.full * width;
  const int64_t narrow_from = thin_from + columns.small * thin_.width();
  if (splits) {
    const int64_t small_tiles = ceil_div(std::min(thin_from, quads), small.width() / layers());
    plan_part(small, {even_rows, rows_over, 0, small_tiles}, batch, params, plan);
  }
  if (columns.small > 0) {
    plan_part(thin_, {0, rows, thin_from, columns.small}, batch, params, plan);
  }
  if (columns.least > 0) {
    plan_part(narrow_, {0, rows, narrow_from, columns.least}, batch, params, plan);
  }
}

void Matmul::plan_part(const Tile& tile, const Part& part, int64_t batch, Params params,
                       Plan& plan) const {
  const int64_t row_tiles = ceil_div(part.rows, tile.rows);
  const int64_t tiles = batch * row_tiles * part.column_tiles;
  params.tiles = u32(tiles);
  params.row_start = u32(part.row);
  params.row_tiles = u32(row_tiles);
  params.column_start = u32(part.quad);
  params.column_tiles = u32(part.column_tiles);
  const bool whole = has_whole_quads(params.columns, params.depth);
  const Grid grid = Grid::lanes(tiles, tile.lanes);
  double share = work_of(tile) / work_of(routes_.at(kMostRows).tile);
  // Counted by subgroups, as for the tiles that a subgroup has together.
  if (tile.lanes < lanes_) share *= busy_share(tiles, grid, lanes_) * Grid::kWorkgroupSize / lanes_;
  plan.run(whole ? tile.whole : tile.ragged,
           std::bit_cast<wgsl::linear::matmul_tile::Params>(params), grid,
           Rounds{ceil_div<int64_t>(params.depth_quads, tile.step()), share});
}

double Matmul::work_of(const Tile& tile) const {
  const auto quads = static_cast<double>(tile.quads * tile.step());
  const auto rows = static_cast<double>(tile.rows);
  const double x_loads = rows * static_cast<double>(tile.step()) / tile.lanes;
  return 4 * rows * quads + kBufferLoad * x_loads +
         (weight_is_constant_ ? kImageLoad : kBufferLoad) * 4 * quads;
}

void Matmul::place_outputs(int64_t column_quads, Params& params) const {
  if (widths_.empty()) params.output_end[0] = u32(column_quads);
  int64_t at = 0;
  for (size_t i = 0; i < widths_.size(); ++i) {
    params.output_start[i] = u32(at);
    at += widths_[i] / 4;
    params.output_end[i] = u32(at);
  }
}

}  // namespace highwater
