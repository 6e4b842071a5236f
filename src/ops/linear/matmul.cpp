#include "ops/linear/matmul.h"

namespace highwater {
namespace {

struct BiasStrides {
  int64_t row;
  int64_t column;
};

Result<BiasStrides> bias_strides(const Dims& bias, int64_t rows, int64_t columns) {
  const int64_t height = bias.rank() >= 2 ? bias[bias.rank() - 2] : 1;
  const int64_t width = bias.back();
  if (bias.numel() != height * width || (height != 1 && height != rows) ||
      (width != 1 && width != columns)) {
    return fail("a bias of dims ", bias, " for ", rows, " rows of ", columns);
  }
  return BiasStrides{height == 1 ? 0 : width, width == 1 ? 0 : 1};
}

}  // namespace

Matmul::Matmul(Args& a, const Operands& operands) : o_(operands), walk_limit_(a) {
  const bool by_depth = o_.layout == WeightLayout::ColumnsByDepth;
  const Tensor bias = o_.bias.value_or(o_.w);
  for (size_t i = 0; i < kTileRows.size(); ++i) {
    tile_[i] = a.step<wgsl::matmul_tile>(
        {o_.y, o_.x, o_.w, bias},
        {{"ROWS", std::to_string(kTileRows[i])},
         {"W_AT", by_depth ? "(4u * column_quad + ${j}u) * params.depth_quads + k"
                           : "(4u * k + ${j}u) * params.column_quads + column_quad"},
         {"PRODUCT", by_depth ? "vec4<f32>(dot(a, w0), dot(a, w1), dot(a, w2), dot(a, w3))"
                              : "a.x * w0 + a.y * w1 + a.z * w2 + a.w * w3"}},
        text(by_depth ? "linear_" : "mm_", kTileRows[i], "x4"));
  }
  any_ = a.step<wgsl::matmul_any>({o_.y, o_.x, o_.w, bias});
}

Status Matmul::plan(const Problem& p, Plan& plan) const {
  const bool by_depth = o_.layout == WeightLayout::ColumnsByDepth;
  BiasStrides bias{0, 0};
  if (o_.bias) {
    HW_TRY(bias, bias_strides(p.bias, p.rows, p.columns));
  }
  const auto beta = o_.bias ? static_cast<float>(o_.beta) : 0.0f;
  const auto alpha = static_cast<float>(o_.alpha);
  const int64_t w_batch = p.shared_weight ? 0 : p.columns * p.depth;
  const auto u32 = [](int64_t n) { return static_cast<uint32_t>(n); };
  if (p.depth % 4 == 0 && p.columns % 4 == 0) {
    const size_t route = p.rows >= 3 ? 2 : p.rows == 2 ? 1 : 0;
    const int64_t row_tiles = ceil_div(p.rows, kTileRows[route]);
    const int64_t tiles = p.batch * row_tiles * (p.columns / 4);
    plan.run(tile_[route],
             {u32(tiles), u32(row_tiles), u32(p.rows), u32(p.columns / 4), u32(p.depth / 4),
              u32(w_batch / 4), u32(bias.row), u32(bias.column), alpha, beta},
             Grid::threads(tiles));
    return {};
  }
  HW_CHECK(walk_limit_.check(4 * p.depth));
  const int64_t numel = p.batch * p.rows * p.columns;
  plan.run(any_,
           {u32(ceil_div<int64_t>(numel, 4)), u32(numel), u32(p.rows), u32(p.columns), u32(p.depth),
            u32(w_batch), u32(by_depth ? p.depth : 1), u32(by_depth ? 1 : p.columns), u32(bias.row),
            u32(bias.column), alpha, beta},
           Grid::quads(numel));
  return {};
}

}  // namespace highwater
