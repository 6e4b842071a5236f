#include "ops/linear/matmul_on_gpu.h"

#include <algorithm>
#include <bit>

#include "wgsl/linear/matmul_slice_step.h"
#include "wgsl/linear/q4_exchange.h"

namespace highwater {
namespace {

constexpr int64_t kLanes = Grid::kWorkgroupSize;
constexpr int64_t kBlockQuads = 16;  // columns of a block
constexpr int64_t kStep = 8;         // quads of the depth that a block brings at a time
// With fewer workgroups a GPU would wait for each of them.
constexpr int64_t kWorkgroupsEnough = 32;
// Neighbours that read fewer quads side by side would waste what memory brings at a time.
constexpr int64_t kRoundsEnough = 4;
constexpr int64_t kLeastWidth = 2, kMostWidth = 8;

constexpr int64_t kNarrowRows = 4;
// Quads of columns, beyond which another block is less work than narrow tiles.
constexpr int64_t kMostNarrowQuads = 8;

// What an invocation takes to load a quad, in products: from a buffer, and from workgroup memory.
constexpr int64_t kMemoryLoad = 16, kSharedLoad = 4;

int64_t width_for(const MatmulOnGpu::Product& product) {
  // The whole workgroup walks along the depth.
  if (product.by_column) return 1;
  int64_t width = kMostWidth;
  // What several layers find fills the workgroup memory that every GPU has, without a pitch.
  if (product.layers > 1) return width;
  const auto workgroups = [&] { return product.batch * ceil_div(product.column_quads, width); };
  // Of the depth there must be enough for all slices.
  const auto slices_of_half = [&] { return 2 * kLanes / width; };
  while (width > kLeastWidth && workgroups() < kWorkgroupsEnough &&
         product.depth_quads >= kRoundsEnough * slices_of_half()) {
    width /= 2;
  }
  return width;
}

// Of an invocation, for a quad of the depth.
double work_of_block(int64_t rows) {
  const int64_t mine = rows / 4;
  const int64_t products = 16 * mine, shared = kSharedLoad * (4 + mine);
  return double(products + shared + kMemoryLoad + kMemoryLoad * rows / kLanes);
}

double work_of_lanes(int64_t rows, int64_t quads) {
  return double((16 * quads + kMemoryLoad) * rows + 4 * kMemoryLoad * quads);
}

// Where the items of `w_tile` lie that neighbours bring, which they find side by side in w.
std::string_view item_text(bool by_column) {
  return by_column ? "let k = lane % 8u;\nlet r = (lane / 8u) % 4u;\nlet quad = 2u * ${i}u + lane "
                     "/ 32u;\n"
                   : "let k = ${i}u;\nlet r = lane / 16u;\nlet quad = lane % 16u;\n";
}

// Not lists of strings, which are much code for a page to download.
struct Holes {
  std::vector<Substitution> all;

  void put(std::string_view name, std::string_view value) {
    all.push_back({name, std::string(value)});
  }
  void put(std::string_view name, int64_t number) { put(name, std::string_view(text(number))); }
};

template <class K>
typename K::Params params_of(const MatmulOnGpu::Params& params) {
  return std::bit_cast<typename K::Params>(params);
}

}  // namespace

MatmulOnGpu::MatmulOnGpu(Args& a, const Product& product)
    : layers_(product.layers), width_(width_for(product)) {
  int64_t fewer = 0;
  for (Route& route : routes_) {
    if (fewer > 0 && fewer >= product.rows) break;
    if (route.is_few()) {
      declare_slices(a, product, route);
    } else {
      declare_block(a, product, route);
    }
    fewer = route.rows;
  }
  if (product.live_columns && product.rows > kMostFew) declare_narrow(a, product);
}

void MatmulOnGpu::declare_slices(Args& a, const Product& product, Route& route) const {
  // Of many rows there are no registers for the weights of several steps.
  const int64_t together = std::clamp<int64_t>(16 / (route.rows * layers_), 1, 4);
  Holes holes{product.substitutions};
  holes.put("ROWS", route.rows);
  holes.put("WRITE_ROWS", 1);
  holes.put("QUADS", layers_);
  holes.put("OWN_QUADS", layers_);
  holes.put("PARTS", route.rows * layers_);
  holes.put("WIDTH", width_);
  holes.put("PITCH", kLanes + width_ % kMostWidth);
  holes.put("TOGETHER", together);
  holes.put("STEP", wgsl::linear::matmul_slice_step::kSource.text);
  holes.put("LANES", 1);
  holes.put("PAIRS", layers_ / 2);
  route.slices = a.step<wgsl::linear::matmul_slices>(
      product.bindings, holes.all,
      text(product.before, route.rows, "x", 4 * width_, product.after));
}

void MatmulOnGpu::declare_block(Args& a, const Product& product, Route& route) const {
  Holes holes{product.substitutions};
  const bool exchanges = layers_ > 1;
  holes.put("ROWS", route.rows);
  holes.put("WRITE_ROWS", route.rows / 4);
  holes.put("QUADS", layers_);
  holes.put("OWN_QUADS", 1);
  holes.put("X_LOADS", ceil_div<int64_t>(route.rows, 8));
  holes.put("W_ITEM", item_text(product.by_column));
  holes.put("EXCHANGE", exchanges ? wgsl::linear::q4_exchange::kSource.text : std::string_view());
  holes.put("LANES", 1);
  holes.put("PAIRS", layers_ / 2);
  route.block = a.step<wgsl::linear::matmul_block>(
      product.bindings, holes.all,
      text(product.before, route.rows, "x", 4 * kBlockQuads / layers_, product.after));
}

void MatmulOnGpu::declare_narrow(Args& a, const Product& product) {
  Holes holes{product.substitutions};
  holes.put("ROWS", kNarrowRows);
  holes.put("WRITE_ROWS", kNarrowRows);
  holes.put("QUADS", 1);
  holes.put("OWN_QUADS", 1);
  holes.put("SUMS", kNarrowRows);
  holes.put("LANES", 1);
  holes.put("FROM_LANE", "mine${g}");
  holes.put("STEP", 1);
  holes.put("WHEN_INSIDE", "");
  holes.put("LOADS", kNarrowRows);
  narrow_ = a.step<wgsl::linear::matmul_tile>(
      product.bindings, holes.all, text(product.before, kNarrowRows, "x4", product.after));
}

// For few rows the least that takes them; of the blocks the largest that leaves at most a quarter
// of its rows without work.
const MatmulOnGpu::Route& MatmulOnGpu::route_for(int64_t rows) const {
  const Route* best = nullptr;
  for (const Route& route : routes_) {
    if (route.is_few() && rows <= route.rows) return route;
    const bool fits = 4 * rows >= 3 * round_up(rows, route.rows);
    if (route.block.is_declared() && (fits || !best)) best = &route;
  }
  return *best;
}

double MatmulOnGpu::share_of(const Route& route) const {
  const double largest = work_of_block(routes_.back().rows);
  if (!route.is_few()) return work_of_block(route.rows) / largest;
  return work_of_lanes(route.rows, layers_) / largest;
}

void MatmulOnGpu::plan(const Params& params, int64_t batch, Plan& plan) const {
  const int64_t rows = params.rows, quads = params.column_quads;
  const Route& largest = routes_.back();
  const int64_t over = rows % largest.rows;
  const Route& rest = route_for(over);
  // Rows that are over are worth a dispatch, unless they are nearly a block, or few among many.
  const bool splits = over > 0 && rest.rows < largest.rows && (8 * (largest.rows - over) > rows);
  const int64_t even = splits ? rows - over : rows;
  const int64_t columns_over = rows > kMostFew ? quads % kBlockQuads : 0;
  const bool narrow = narrow_.is_declared() && columns_over > 0 && columns_over <= kMostNarrowQuads;
  const int64_t even_quads = narrow ? quads - columns_over : quads;
  plan_part(largest, {0, even, 0, even_quads}, batch, params, plan);
  if (splits) plan_part(rest, {even, over, 0, even_quads}, batch, params, plan);
  if (narrow) plan_narrow({0, rows, even_quads, columns_over}, batch, params, plan);
}

void MatmulOnGpu::plan_part(const Route& route, const Part& part, int64_t batch, Params params,
                            Plan& plan) const {
  if (part.rows == 0 || part.quads == 0) return;
  const int64_t width = route.is_few() ? width_ : kBlockQuads / layers_;
  const int64_t row_tiles = ceil_div(part.rows, route.rows);
  const int64_t column_tiles = ceil_div(part.quads, width);
  const int64_t tiles = batch * row_tiles * column_tiles;
  params.tiles = u32(tiles);
  params.row_start = u32(part.row);
  params.row_tiles = u32(row_tiles);
  params.column_start = u32(part.quad);
  params.column_tiles = u32(column_tiles);
  const int64_t depth = params.depth_quads;
  if (route.is_few()) {
    plan.run(route.slices, params_of<wgsl::linear::matmul_slices>(params), Grid::groups(tiles),
             Rounds{ceil_div(depth, kLanes / width_), share_of(route)});
  } else {
    plan.run(route.block, params_of<wgsl::linear::matmul_block>(params), Grid::groups(tiles),
             Rounds{depth + ceil_div(depth, kStep), share_of(route)});
  }
}

void MatmulOnGpu::plan_narrow(const Part& part, int64_t batch, Params params, Plan& plan) const {
  const int64_t row_tiles = ceil_div(part.rows, kNarrowRows);
  const int64_t tiles = batch * row_tiles * part.quads;
  params.tiles = u32(tiles);
  params.row_start = 0;
  params.row_tiles = u32(row_tiles);
  params.column_start = u32(part.quad);
  params.column_tiles = u32(part.quads);
  const double share = work_of_lanes(kNarrowRows, 1) / work_of_block(routes_.back().rows);
  plan.run(narrow_, params_of<wgsl::linear::matmul_tile>(params), Grid::threads(tiles),
           Rounds{params.depth_quads, share});
}

}  // namespace highwater
