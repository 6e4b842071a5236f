#include "ops/linear/q4_matmul.h"

namespace highwater {

Q4Matmul::Q4Matmul(Args& a, const Operands& operands) : o_(operands) {
  const Dims &w = a.bound(o_.w), &scale = a.bound(o_.scale);
  columns_ = a.bound(o_.y).back();
  depth_ = o_.depth;
  row_bytes_ = w.back();
  scale_row_ = scale.back();
  a.require(w.rank() == 2 && w[0] >= columns_ && row_bytes_ * 2 >= depth_ && row_bytes_ % 4 == 0,
            "a 4-bit weight of dims ", w, " does not take ", depth_, " inputs to ", columns_,
            " outputs");
  a.require(o_.group > 0 && scale_row_ >= columns_ &&
                scale.numel() / std::max<int64_t>(scale_row_, 1) * o_.group >= depth_,
            "scales of dims ", scale, " do not cover groups of ", o_.group, " in ", depth_);
  if (o_.bias) {
    a.require(a.bound(*o_.bias).numel() >= columns_, "a bias of dims ", a.bound(*o_.bias), " for ",
              columns_, " outputs");
  }
  const Tensor bias = o_.bias.value_or(o_.scale);
  const bool low_first = o_.order == NibbleOrder::LowFirst;
  if (tiles()) {
    for (size_t i = 0; i < kRoutes.size(); ++i) {
      tile_[i] = a.step<wgsl::q4_tile>(
          {o_.y, o_.x, o_.w, o_.scale, bias},
          {{"ROWS", std::to_string(kRoutes[i].rows)},
           {"QUADS", std::to_string(kRoutes[i].quads)},
           {"LOW_SHIFTS", low_first ? "0u, 4u, 8u, 12u" : "4u, 0u, 12u, 8u"},
           {"HIGH_SHIFTS", low_first ? "16u, 20u, 24u, 28u" : "20u, 16u, 28u, 24u"}},
          text(kRoutes[i].rows, "x", 4 * kRoutes[i].quads));
    }
  } else {
    any_ = a.step<wgsl::q4_any>({o_.y, o_.x, o_.w, o_.scale, bias},
                                {{"NIBBLE_SWAP", low_first ? "0" : "1"}});
  }
}

bool Q4Matmul::tiles() const {
  return depth_ % 32 == 0 && row_bytes_ * 2 == depth_ && o_.group % 32 == 0 && columns_ % 4 == 0 &&
         scale_row_ % 4 == 0;
}

Status Q4Matmul::plan(const Dims& x, Plan& plan) const {
  Dims y = x;
  if (x.empty() || x.back() != depth_) {
    return fail("an input of dims ", x, " where the last should be ", depth_);
  }
  y[y.rank() - 1] = columns_;
  plan.resize(o_.y, y);
  const int64_t rows = x.product(0, x.rank() - 1);
  if (tiles()) {
    plan_tiles(rows, plan);
  } else {
    plan_any(rows, plan);
  }
  return {};
}

void Q4Matmul::plan_tiles(int64_t rows, Plan& plan) const {
  size_t best = 0;
  for (size_t i = 0; i < kRoutes.size(); ++i) {
    if (rows >= kRoutes[i].from_rows) best = i;
  }
  const Route& route = kRoutes[best];
  const int64_t column_quads = columns_ / 4;
  const int64_t column_tiles = ceil_div(column_quads, route.quads);
  const int64_t tiles = ceil_div(rows, route.rows) * column_tiles;
  wgsl::q4_tile::Params params{};
  params.tiles = static_cast<uint32_t>(tiles);
  params.rows = static_cast<uint32_t>(rows);
  params.column_tiles = static_cast<uint32_t>(column_tiles);
  params.column_quads = static_cast<uint32_t>(column_quads);
  params.blocks = static_cast<uint32_t>(depth_ / 32);
  params.blocks_per_group = static_cast<uint32_t>(o_.group / 32);
  params.scale_row_quads = static_cast<uint32_t>(scale_row_ / 4);
  params.has_bias = o_.bias.has_value();
  plan.run(tile_[best], params, Grid::threads(tiles));
}

void Q4Matmul::plan_any(int64_t rows, Plan& plan) const {
  const int64_t numel = rows * columns_;
  wgsl::q4_any::Params params{};
  params.quads = static_cast<uint32_t>(ceil_div<int64_t>(numel, 4));
  params.numel = static_cast<uint32_t>(numel);
  params.columns = static_cast<uint32_t>(columns_);
  params.depth = static_cast<uint32_t>(depth_);
  params.row_words = static_cast<uint32_t>(row_bytes_ / 4);
  params.group = static_cast<uint32_t>(o_.group);
  params.scale_row = static_cast<uint32_t>(scale_row_);
  params.has_bias = o_.bias.has_value();
  plan.run(any_, params, Grid::quads(numel));
}

}  // namespace highwater
