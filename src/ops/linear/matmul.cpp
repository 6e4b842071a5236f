#include "ops/linear/matmul.h"

#include <algorithm>
#include <numeric>

#include "ops/lanes.h"
#include "ops/narrow.h"
#include "wgsl/linear/matmul_ragged.h"
#include "wgsl/linear/matmul_whole.h"
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

// Columns of a weight that lie side by side, so that neighbours in a subgroup or a workgroup load
// from neighbouring places; as `w_packed` has it.
constexpr int64_t kPanelColumns = 32;

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
  routes_ = routes_for(lanes_, ceil_div<int64_t>(columns / layers(), 4), layers());
  // A constant has one size; what is computed may have one of either kind.
  if (whole || !a.is_constant(o_.w)) declare_whole(a);
  if (!whole || !a.is_constant(o_.w)) declare_ragged(a);
}

int64_t Matmul::step_of(const Route& route) const {
  return std::max<int64_t>(lanes_ / route.rows, 1);
}

Tensor Matmul::packed_weight(Args& a) {
  const Dims& w = a.bound(o_.w);
  is_packed_ =
      o_.layout == WeightLayout::ColumnsByDepth && w.rank() == 2 && a.is_own_constant(o_.w);
  if (!is_packed_) return o_.w;
  const int64_t panels = ceil_div(w[0], kPanelColumns);
  return a.arranged(o_.w, {w, {{panels, 0, kPanelColumns}, {w[1], 1}, {kPanelColumns, 0}}});
}

void Matmul::declare_whole(Args& a) {
  const Tensor w = packed_weight(a);
  std::vector<Tensor> bindings = o_.ys;
  for (Tensor t : {o_.x, w, o_.bias.value_or(o_.x)}) bindings.push_back(t);
  for (Route& route : routes_) route.whole = declare(a, route, bindings, true);
}

void Matmul::declare_ragged(Args& a) {
  Tensor y = o_.ys[0];
  if (a.dtype(y) != DType::Float32) {
    wide_y_ = a.scratch(DType::Float32, a.bound(y).numel());
    narrow_y_.emplace(a, y, *wide_y_, "narrow");
    y = *wide_y_;
  }
  const std::vector<Tensor> bindings{y, o_.x, o_.w, o_.bias.value_or(o_.x)};
  for (Route& route : routes_) route.ragged = declare(a, route, bindings, false);
}

Step<wgsl::linear::matmul_tile> Matmul::declare(Args& a, const Route& route,
                                                const std::vector<Tensor>& bindings,
                                                bool whole) const {
  const bool is_layer = o_.layout == WeightLayout::ColumnsByDepth;
  const bool packed = whole && is_packed_, by_column = is_layer && !packed;
  const int64_t step = step_of(route);
  return a.step<wgsl::linear::matmul_tile>(
      bindings,
      {{"OPERANDS", std::string(whole ? wgsl::linear::matmul_whole::kSource.text
                                      : wgsl::linear::matmul_ragged::kSource.text)},
       {"LANES", std::to_string(lanes_)},
       {"FROM_LANE", lanes_ == 1 ? "mine${g}" : "subgroupBroadcast(mine${g}, ${l}u)"},
       {"ROWS", std::to_string(route.rows)},
       {"WRITE_ROWS", std::to_string(route.rows)},
       {"QUADS", std::to_string(route.quads)},
       {"PAIRS", std::to_string(route.quads / 2)},
       {"STEP", std::to_string(step)},
       {"WHEN_INSIDE", step == 1 ? "" : "if (k + ${j}u < params.depth_quads)"},
       {"LOADS", std::to_string(route.rows * step / lanes_)},
       {"LAYERS", std::to_string(layers())},
       {"OUTPUTS", std::to_string(o_.ys.size())},
       {"W", packed      ? "w_packed"
             : by_column ? "w_by_column"
                         : "w_by_depth"},
       // A layer's bias is one row; loading it for every row would cost as much as a tenth of the
       // tile.
       {"NEXT_BIAS", is_layer ? ""
                              : "b = params.beta * bias_along(min(row + ${m}u, params.rows - 1u) * "
                                "params.bias_row, w_quad${c});"},
       {"ADD", by_column ? "add_by_column" : "add_by_depth"},
       {"WRITE", std::string(o_.swiglu ? wgsl::linear::q4_write_swiglu::kSource.text
                                       : wgsl::linear::matmul_write_columns::kSource.text)}},
      text(is_layer ? "linear_" : "mm_", route.rows, "x", 4 * route.quads / layers(),
           o_.swiglu ? "_swiglu" : "", o_.ys.size() > 1 ? text("_to_", o_.ys.size()) : "",
           whole ? "" : "_ragged"));
}

Status Matmul::plan(const Shapes& s, const Problem& p, Plan& plan) const {
  BiasStrides bias{0, 0};
  if (o_.bias) {
    HW_TRY(bias, bias_strides(p.bias, bias_bound_, p.rows, p.columns));
  }
  const bool whole = has_whole_quads(p.columns, p.depth);
  const int64_t batch = p.shared_weight ? 0 : p.columns * p.depth;
  wgsl::linear::matmul_tile::Params params{};
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
  place_outputs(params.column_quads, params);
  const bool widened = !whole && wide_y_;
  if (o_.ys.size() == 1 && !widened) plan.resize(o_.ys[0], p.y);
  if (widened) plan.resize(*wide_y_, {p.y.numel()});
  const Route& route = routes_.at(p.rows);
  const int64_t over = p.rows % route.rows;
  const bool splits = lanes_ > 1 && over > 0 && routes_.at(over).rows < route.rows;
  plan_rows(route, p.rows - (splits ? over : 0), p.batch, params, plan);
  if (splits) {
    params.row_start = u32(p.rows - over);
    plan_rows(routes_.at(over), over, p.batch, params, plan);
  }
  if (!widened) return {};
  StridedLoop loop;
  loop.add_dim(p.y.numel(), {1});
  return narrow_y_->plan(s, p.y, loop, 0, plan);
}

void Matmul::plan_rows(const Route& route, int64_t rows, int64_t batch,
                       wgsl::linear::matmul_tile::Params params, Plan& plan) const {
  const int64_t row_tiles = ceil_div(rows, route.rows);
  const int64_t column_tiles =
      ceil_div<int64_t>(params.column_quads, lanes_ * route.quads / layers());
  const int64_t tiles = batch * row_tiles * column_tiles;
  params.tiles = u32(tiles);
  params.row_tiles = u32(row_tiles);
  params.column_tiles = u32(column_tiles);
  const bool whole = has_whole_quads(params.columns, params.depth);
  plan.run(whole ? route.whole : route.ragged, params, Grid::lanes(tiles, lanes_),
           Rounds{ceil_div<int64_t>(params.depth_quads, step_of(route))});
}

void Matmul::place_outputs(int64_t column_quads, wgsl::linear::matmul_tile::Params& params) const {
  if (widths_.empty()) params.output_end[0] = u32(column_quads);
  int64_t at = 0;
  for (size_t i = 0; i < widths_.size(); ++i) {
    params.output_start[i] = u32(at);
    at += widths_[i] / 4;
    params.output_end[i] = u32(at);
  }
}

}  // namespace highwater
