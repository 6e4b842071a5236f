#include "ops/linear/matmul.h"

#include <algorithm>
#include <numeric>

#include "ops/lanes.h"
#include "ops/narrow.h"
#include "wgsl/linear/matmul_write_columns.h"
#include "wgsl/linear/q4_write_swiglu.h"

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

bool has_whole_quads(int64_t columns, int64_t depth) {
  return columns % 4 == 0 && depth % 4 == 0;
}

}  // namespace

Routes<Matmul::Route> Matmul::routes_for(uint32_t lanes, int64_t column_quads, int64_t layers) {
  Routes<Route> result = lanes == 1 ? Routes<Route>{{1, 1, 1}, {2, 2, 1}, {3, 4, 1}}
                                    : Routes<Route>{{1, 1, 2}, {2, 4, 4}, {9, 16, 4}};
  for (Route& route : result) {
    // No more than it takes for all columns; of each layer as many.
    const int64_t most = layers * std::max<int64_t>(ceil_div<int64_t>(column_quads, lanes), 1);
    route.quads = std::min(std::max(route.quads, layers), most);
    route.quads -= route.quads % layers;
  }
  return result;
}

Matmul::Matmul(Args& a, const Operands& operands) : o_(operands), lanes_(usable_lanes(a.traits())) {
  if (o_.bias) bias_bound_ = a.bound(*o_.bias);
  const Dims& w = a.bound(o_.w);
  a.require(w.rank() >= 2, "a weight of dims ", w);
  if (w.rank() < 2) return;
  const bool by_depth = o_.layout == WeightLayout::ColumnsByDepth;
  const int64_t columns = w[w.rank() - (by_depth ? 2 : 1)],
                depth = w[w.rank() - (by_depth ? 1 : 2)];
  bool tiles = has_whole_quads(columns, depth);
  if (o_.ys.size() > 1) {
    for (Tensor y : o_.ys) widths_.push_back(a.bound(y).back());
    for (int64_t width : widths_) tiles = tiles && width % 4 == 0;
  }
  if (o_.ys.size() != 1 || o_.swiglu) {
    const int64_t joined = std::accumulate(widths_.begin(), widths_.end(), int64_t{0});
    const bool fits = tiles && a.is_constant(o_.w) && columns % (4 * layers()) == 0 &&
                      (o_.swiglu ? o_.ys.size() == 1 : o_.ys.size() <= 3 && joined == columns);
    a.require(fits, "a weight of dims ", w, " cannot be that of ", o_.ys.size(), " outputs");
    if (!fits) return;
  }
  routes_ = routes_for(lanes_, columns / layers() / 4, layers());
  // A constant has one size; what is computed may have one of either kind.
  if (tiles || !a.is_constant(o_.w)) declare_tiles(a);
  if (!tiles || !a.is_constant(o_.w)) {
    any_ = a.step<wgsl::linear::matmul_any>({o_.ys[0], o_.x, o_.w, o_.bias.value_or(o_.x)});
  }
}

int64_t Matmul::step_of(const Route& route) const {
  return std::max<int64_t>(lanes_ / route.rows, 1);
}

void Matmul::declare_tiles(Args& a) {
  const bool by_depth = o_.layout == WeightLayout::ColumnsByDepth;
  std::vector<Tensor> bindings = o_.ys;
  for (Tensor t : {o_.x, o_.w, o_.bias.value_or(o_.x)}) bindings.push_back(t);
  for (Route& route : routes_) {
    const int64_t step = step_of(route);
    route.tile = a.step<wgsl::linear::matmul_tile>(
        bindings,
        {{"LANES", std::to_string(lanes_)},
         {"FROM_LANE", lanes_ == 1 ? "mine${g}" : "subgroupBroadcast(mine${g}, ${l}u)"},
         {"ROWS", std::to_string(route.rows)},
         {"WRITE_ROWS", std::to_string(route.rows)},
         {"QUADS", std::to_string(route.quads)},
         {"PAIRS", std::to_string(route.quads / 2)},
         {"STEP", std::to_string(step)},
         {"LOADS", std::to_string(route.rows * step / lanes_)},
         {"LAYERS", std::to_string(layers())},
         {"OUTPUTS", std::to_string(o_.ys.size())},
         {"W_AT", by_depth ? "(4u * w_quad${c} + ${r}u) * params.depth_quads + k + ${j}u"
                           : "(4u * (k + ${j}u) + ${r}u) * params.column_quads + w_quad${c}"},
         {"ADD", by_depth ? "add_by_column" : "add_by_depth"},
         {"WRITE", std::string(o_.swiglu ? wgsl::linear::q4_write_swiglu::kSource.text
                                         : wgsl::linear::matmul_write_columns::kSource.text)}},
        text(by_depth ? "linear_" : "mm_", route.rows, "x", 4 * route.quads / layers(),
             o_.swiglu ? "_swiglu" : "", o_.ys.size() > 1 ? text("_to_", o_.ys.size()) : ""));
  }
}

Status Matmul::plan(const Problem& p, Plan& plan) const {
  BiasStrides bias{0, 0};
  if (o_.bias) {
    HW_TRY(bias, bias_strides(p.bias, bias_bound_, p.rows, p.columns));
  }
  wgsl::linear::matmul_tile::Params params{};
  params.rows = u32(p.rows);
  params.bias_row = u32(bias.row);
  params.bias_column = u32(bias.column);
  params.alpha = narrow_to_float(o_.alpha);
  params.beta = o_.bias ? narrow_to_float(o_.beta) : 0.0f;
  if (has_whole_quads(p.columns, p.depth)) {
    plan_tiles(p, plan, params);
  } else {
    plan_any(p, plan, params);
  }
  return {};
}

void Matmul::plan_tiles(const Problem& p, Plan& plan,
                        wgsl::linear::matmul_tile::Params params) const {
  const Route& route = routes_.at(p.rows);
  const int64_t column_quads = p.columns / layers() / 4;
  if (widths_.empty()) params.output_end[0] = u32(column_quads);
  int64_t at = 0;
  for (size_t i = 0; i < widths_.size(); ++i) {
    params.output_start[i] = u32(at);
    at += widths_[i] / 4;
    params.output_end[i] = u32(at);
  }
  const int64_t column_tiles = ceil_div(column_quads, lanes_ * route.quads / layers());
  const int64_t row_tiles = ceil_div(p.rows, route.rows);
  const int64_t tiles = p.batch * row_tiles * column_tiles;
  params.tiles = u32(tiles);
  params.row_tiles = u32(row_tiles);
  params.column_tiles = u32(column_tiles);
  params.column_quads = u32(column_quads);
  params.depth_quads = u32(p.depth / 4);
  params.w_batch_quads = u32(p.shared_weight ? 0 : p.columns * p.depth / 4);
  plan.run(route.tile, params, Grid::lanes(tiles, lanes_),
           Rounds{ceil_div<int64_t>(params.depth_quads, step_of(route))});
}

void Matmul::plan_any(const Problem& p, Plan& plan,
                      const wgsl::linear::matmul_tile::Params& same) const {
  const bool by_depth = o_.layout == WeightLayout::ColumnsByDepth;
  const int64_t numel = p.batch * p.rows * p.columns;
  plan.run(any_,
           {.quads = quads_of(numel),
            .numel = u32(numel),
            .rows = same.rows,
            .columns = u32(p.columns),
            .depth = u32(p.depth),
            .w_batch = u32(p.shared_weight ? 0 : p.columns * p.depth),
            .w_column = u32(by_depth ? p.depth : 1),
            .w_depth = u32(by_depth ? 1 : p.columns),
            .bias_row = same.bias_row,
            .bias_column = same.bias_column,
            .alpha = same.alpha,
            .beta = same.beta},
           Grid::quads(numel), Rounds{4 * p.depth});
}

}  // namespace highwater
