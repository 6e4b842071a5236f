#include "ops/attention/attention.h"

#include <algorithm>
#include <cmath>

namespace highwater {
namespace {

// What a mask does to a score; `at` is where it says so.
std::string mask_text(const Args& a, const std::optional<Tensor>& mask, const std::string& score,
                      const std::string& at) {
  if (!mask) return "";
  if (is_float(a.dtype(*mask))) return text(score, " += mask_at(", at, "); ");
  return text(score, " = select(LOWEST, ", score, ", mask_at(", at, ") != 0); ");
}

// The same for the four places that a tile looks at together.
std::string tile_mask_text(const Args& a, const std::optional<Tensor>& mask) {
  std::string out;
  for (int j = 0; j < 4; ++j) {
    out += mask_text(a, mask, text("score${m}[", j, "]"),
                     text("mask_at${m} + min(t + ", j, "u, params.context - 1u)"));
  }
  return out;
}

}  // namespace

double Attention::default_scale(int64_t head_dim) {
  return 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(head_dim, 1)));
}

Status Attention::Problem::set_mask(const Dims& mask) {
  const Dims wanted{batch, q_heads, positions, context};
  const size_t lead = 4 - std::min<size_t>(mask.rank(), 4);
  bool fits = mask.rank() <= 4 && mask.rank() > 0 && mask.back() >= context;
  for (size_t i = lead; fits && i < 3; ++i) {
    // A mask may be made for more queries than there are just now.
    const int64_t have = mask[i - lead];
    fits = have == 1 || have == wanted[i] || (i == 2 && have > positions);
  }
  if (!fits) {
    return fail("a mask of dims ", mask, " for ", batch, " x ", q_heads, " heads, ", positions,
                " queries and ", context, " keys");
  }
  const auto stride = [&](size_t i) {
    return i < lead || mask[i - lead] == 1 ? 0 : mask.product(i - lead + 1, mask.rank());
  };
  mask_batch = stride(0);
  mask_head = stride(1);
  mask_row = stride(2);
  return {};
}

Attention::Attention(Args& a, const Operands& operands, const Problem& largest)
    : o_(operands), walk_limit_(a) {
  a.require(largest.kv_heads > 0 && largest.q_heads % std::max<int64_t>(largest.kv_heads, 1) == 0,
            largest.q_heads, " query heads for ", largest.kv_heads, " kv heads");
  const Tensor mask = o_.mask.value_or(o_.q);
  any_ = a.step<wgsl::attention_any>({o_.y, o_.q, o_.k, o_.v, mask},
                                     {{"MASK", mask_text(a, o_.mask, "score", "mask_start + t")}});
  if (largest.head_dim % 4 != 0 || largest.head_dim > kMostTiled) return;
  tiled_head_dim_ = largest.head_dim;
  const int64_t quads = tiled_head_dim_ / 4;
  // Only few rows are ever cut, and then by the whole context.
  const int64_t cut_rows = largest.batch * largest.kv_heads * 4 * kRowsWorthCutting;
  partial_ =
      a.scratch(DType::Float32, cut_rows * ceil_div(largest.context, kChunk) * (quads + 1) * 4);
  for (size_t i = 0; i < kTileRows.size(); ++i) {
    steps_[i] = a.step<wgsl::attention>({o_.y, partial_, o_.q, o_.k, o_.v, mask},
                                        {{"ROWS", std::to_string(kTileRows[i])},
                                         {"LAST", std::to_string(kTileRows[i] - 1)},
                                         {"QUADS", std::to_string(quads)},
                                         {"MASK", tile_mask_text(a, o_.mask)}},
                                        text(kTileRows[i], "x", tiled_head_dim_));
  }
  merge_ = a.step<wgsl::attention_merge>({o_.y, partial_});
}

int64_t Attention::chunks(const Problem& p, int64_t row_tiles) {
  return row_tiles < kRowsWorthCutting ? ceil_div(p.context, kChunk) : 1;
}

Status Attention::plan(const Problem& p, Plan& plan) const {
  if (p.head_dim == 0 || p.head_dim != tiled_head_dim_) return plan_any(p, plan);
  plan_tiles(p, plan);
  return {};
}

Status Attention::plan_any(const Problem& p, Plan& plan) const {
  HW_CHECK(walk_limit_.check(4 * p.context * (ceil_div<int64_t>(p.head_dim, 8) + 1)));
  const int64_t numel = p.batch * p.q_heads * p.positions * p.head_dim;
  const auto u32 = [](int64_t n) { return static_cast<uint32_t>(n); };
  plan.run(any_,
           {u32(ceil_div<int64_t>(numel, 4)), u32(numel), u32(p.head_dim), u32(p.q_heads),
            u32(p.q_heads / p.kv_heads), u32(p.positions), u32(p.context), u32(p.causal_from),
            p.q_head < p.q_position, u32(p.q_batch), u32(p.q_position), u32(p.q_head),
            u32(p.kv_batch), u32(p.kv_position), u32(p.kv_head), u32(p.mask_batch),
            u32(p.mask_head), u32(p.mask_row), static_cast<float>(p.scale)},
           Grid::quads(numel));
  return {};
}

void Attention::plan_tiles(const Problem& p, Plan& plan) const {
  const int64_t group = p.q_heads / p.kv_heads;
  const int64_t rows = p.positions * group;
  const size_t route = rows >= 4 ? 2 : rows >= 2 ? 1 : 0;
  const int64_t row_tiles = ceil_div(rows, kTileRows[route]);
  const int64_t parts = std::max<int64_t>(chunks(p, row_tiles), 1);
  const int64_t heads = p.batch * p.kv_heads;
  const int64_t quads = p.head_dim / 4;
  const auto u32 = [](int64_t n) { return static_cast<uint32_t>(n); };

  wgsl::attention::Params params{};
  params.tiles = u32(heads * row_tiles * parts);
  params.row_tiles = u32(row_tiles);
  params.kv_heads = u32(p.kv_heads);
  params.group = u32(group);
  params.positions = u32(p.positions);
  params.context = u32(p.context);
  params.causal_from = u32(p.causal_from);
  params.chunks = u32(parts);
  params.chunk = parts > 1 ? u32(kChunk) : u32(round_up<int64_t>(p.context, 4));
  params.q_batch = u32(p.q_batch / 4);
  params.q_position = u32(p.q_position / 4);
  params.q_head = u32(p.q_head / 4);
  params.kv_batch = u32(p.kv_batch / 4);
  params.kv_position = u32(p.kv_position / 4);
  params.kv_head = u32(p.kv_head / 4);
  params.mask_batch = u32(p.mask_batch);
  params.mask_head = u32(p.mask_head);
  params.mask_row = u32(p.mask_row);
  params.scale = static_cast<float>(p.scale);
  plan.run(steps_[route], params, Grid::threads(params.tiles));
  if (parts == 1) return;
  const int64_t out_quads = heads * rows * quads;
  plan.resize(partial_, {heads * rows * parts * (quads + 1) * 4});
  plan.run(merge_,
           {u32(out_quads), u32(quads), params.kv_heads, params.group, params.positions,
            params.chunks, params.q_batch, params.q_position, params.q_head},
           Grid::threads(out_quads));
}

}  // namespace highwater
