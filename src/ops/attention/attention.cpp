#include "ops/attention/attention.h"

#include <algorithm>
#include <cmath>

#include "wgsl/attention_load_group.h"
#include "wgsl/attention_load_lanes.h"

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
  any_ = a.step<wgsl::attention_any>({o_.y, o_.q, o_.k, o_.v, o_.mask.value_or(o_.q)},
                                     {{"MASK", mask_text(a, o_.mask, "score", "mask_start + t")}});
  if (largest.head_dim % 4 != 0 || largest.head_dim > kMostTiled) return;
  tiled_head_dim_ = largest.head_dim;
  const int64_t quads = tiled_head_dim_ / 4;
  const int64_t group = largest.q_heads / std::max<int64_t>(largest.kv_heads, 1);
  routes_ = routes_for(a.traits(), quads, group);
  const int64_t cut_rows = most_cut_rows(largest.batch * largest.kv_heads);
  partial_ =
      a.scratch(DType::Float32, cut_rows * ceil_div(largest.context, kChunk) * (quads + 1) * 4);
  for (const Route& route : routes_) steps_.push_back(declare(a, route, quads));
  merge_ = a.step<wgsl::attention_merge>({o_.y, partial_});
}

std::vector<Attention::Route> Attention::routes_for(const DeviceTraits& traits, int64_t quads,
                                                    int64_t group) {
  // A row keeps a query and a result in registers: of wide ones there is room for few.
  const int64_t most_rows = std::clamp<int64_t>(32 / quads, 1, 4);
  // A decode step has one row for each query head of the group.
  const Route decode{1, 1, std::clamp<int64_t>(group, 1, most_rows)};
  if (!traits.software) return {decode, {kFewRows + 1, Grid::kWorkgroupSize, 1}};
  // Lanes must share four keys evenly.
  if (traits.lanes == 1 || 4 * quads % traits.lanes != 0) {
    return {decode, {kFewRows + 1, 1, most_rows}};
  }
  return {
      decode, {kFewRows + 1, traits.lanes, 1}, {most_rows * traits.lanes, traits.lanes, most_rows}};
}

int64_t Attention::most_cut_rows(int64_t heads) const {
  int64_t most = heads * kFewRows;
  for (const Route& route : routes_) most = std::max(most, kTilesEnough * route.lanes * route.rows);
  return most;
}

Step<wgsl::attention> Attention::declare(Args& a, const Route& route, int64_t quads) const {
  const bool by_group = route.lanes == Grid::kWorkgroupSize;
  // As many keys and values as fit into the workgroup memory that WebGPU guarantees.
  const int64_t batch = by_group ? std::min<int64_t>(16, 512 / quads / 4 * 4) : 4;
  const std::string tile = text("array<vec4<f32>, ", batch * quads, ">;");
  // Where key or value j of four has its quad i.
  const auto quad = [&](std::string_view load, std::string_view mine, std::string_view all) {
    if (by_group) return text(all, "[(four + ${j}u) * ${QUADS}u + ${i}u]");
    if (route.lanes == 1) {
      return text(load,
                  "(kv_start + min(t + ${j}u, params.context - 1u) * params.kv_position + ${i}u)");
    }
    return text("subgroupBroadcast(", mine, "[(${j}u * ${QUADS}u + ${i}u) / ${LANES}u], ",
                "(${j}u * ${QUADS}u + ${i}u) % ${LANES}u)");
  };
  std::string_view loading;
  if (by_group) loading = wgsl::attention_load_group::kSource.text;
  if (!by_group && route.lanes > 1) loading = wgsl::attention_load_lanes::kSource.text;
  return a.step<wgsl::attention>(
      {o_.y, partial_, o_.q, o_.k, o_.v, o_.mask.value_or(o_.q)},
      {{"LANES", std::to_string(route.lanes)},
       {"ROWS", std::to_string(route.rows)},
       {"QUADS", std::to_string(quads)},
       {"BATCH", std::to_string(batch)},
       {"LOADS", std::to_string(batch * quads / route.lanes)},
       {"KEY", quad("k_quad", "my_keys", "keys")},
       {"VALUE", quad("v_quad", "my_values", "values")},
       {"ENTRY", by_group ? "#main tile lane\n" : "#lanes tile lane\n"},
       {"MEMORY",
        by_group ? text("var<workgroup> keys: ", tile, " var<workgroup> values: ", tile) : ""},
       {"LOAD", std::string(loading)},
       {"WHEN_USED", by_group ? "workgroupBarrier();" : ""},
       {"MASK", tile_mask_text(a, o_.mask)}},
      text(route.lanes * route.rows, "x", 4 * quads));
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
  size_t best = 0;
  for (size_t i = 0; i < routes_.size(); ++i) {
    if (rows >= routes_[i].from_rows) best = i;
  }
  const Route& route = routes_[best];
  const int64_t row_tiles = ceil_div(rows, route.lanes * route.rows);
  const int64_t heads = p.batch * p.kv_heads;
  const bool few = rows <= kFewRows || heads * row_tiles < kTilesEnough;
  const int64_t parts = few ? std::max<int64_t>(ceil_div(p.context, kChunk), 1) : 1;
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
  const bool by_group = route.lanes == Grid::kWorkgroupSize;
  plan.run(steps_[best], params,
           by_group ? Grid::groups(params.tiles) : Grid::lanes(params.tiles, route.lanes));
  if (parts == 1) return;
  const int64_t out_quads = heads * rows * quads;
  plan.resize(partial_, {heads * rows * parts * (quads + 1) * 4});
  plan.run(merge_,
           {u32(out_quads), u32(quads), params.kv_heads, params.group, params.positions,
            params.chunks, params.q_batch, params.q_position, params.q_head},
           Grid::threads(out_quads));
}

}  // namespace highwater
