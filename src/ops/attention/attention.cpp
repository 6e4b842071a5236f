#include "ops/attention/attention.h"

#include <algorithm>
#include <cmath>

#include "wgsl/attention/attention_load_lanes.h"

namespace highwater {
namespace {

// What a mask does to the four places that a tile looks at together.
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

Attention::Attention(Args& a, const Operands& operands, const Problem& largest) : o_(operands) {
  a.require(largest.kv_heads > 0 && largest.q_heads % std::max<int64_t>(largest.kv_heads, 1) == 0,
            largest.q_heads, " query heads for ", largest.kv_heads, " kv heads");
  any_ = a.step<wgsl::attention::attention_any>(
      {o_.y, o_.q, o_.k, o_.v, o_.mask.value_or(o_.q)},
      {{"MASK", mask_text(a, o_.mask, "score", "mask_start + t")}});
  const bool whole_quads = largest.head_dim > 0 && largest.head_dim % 4 == 0;
  if (!whole_quads || largest.head_dim > kMostTiled) return;
  tiled_head_dim_ = largest.head_dim;
  const int64_t quads = largest.head_quads();
  if (a.traits().software) {
    routes_ = routes_for(a.traits(), quads, largest.group());
  } else {
    split_.emplace(quads, largest.group());
    blocks_.emplace(quads);
  }
  partial_ =
      a.scratch(DType::Float32, most_partials(largest) * AttentionMerge::partial_floats(quads));
  for (Route& route : routes_) route.step = declare(a, route, quads);
  if (split_) split_->declare(a, o_, partial_);
  if (blocks_) blocks_->declare(a, o_, partial_);
  merge_ = AttentionMerge(a, o_.y, partial_, quads);
}

Routes<Attention::Route> Attention::routes_for(const DeviceTraits& traits, int64_t quads,
                                               int64_t group) {
  // A row keeps a query and a result in registers: of wide ones there is room for few.
  const int64_t most_rows = std::clamp<int64_t>(32 / quads, 1, 4);
  // Lanes must share four keys evenly.
  if (traits.lanes == 1 || 4 * quads % traits.lanes != 0) {
    // A decode step has one row for each query head of the group.
    return {{1, 1, std::clamp<int64_t>(group, 1, most_rows)}, {kFewRows + 1, 1, most_rows}};
  }
  // A decode step leaves lanes without a row, which costs little: loads do, and every lane does its
  // part of those.
  return {{1, traits.lanes, 1}, {most_rows * traits.lanes, traits.lanes, most_rows}};
}

int64_t Attention::most_partials(const Problem& largest) const {
  int64_t most_rows = largest.heads() * kFewRows;
  if (blocks_) most_rows = std::max(most_rows, kTilesEnough * BlockAttention::kRows);
  for (const Route& route : routes_) {
    most_rows = std::max(most_rows, kTilesEnough * route.tile_rows());
  }
  const int64_t by_tiles = most_rows * ceil_div(largest.context, kChunk);
  return std::max(by_tiles, split_ ? split_->most_partials(largest) : 0);
}

Step<wgsl::attention::attention> Attention::declare(Args& a, const Route& route,
                                                    int64_t quads) const {
  // Where key or value j of four has its quad i.
  const auto quad = [&](std::string_view load, std::string_view mine) {
    if (route.lanes == 1) {
      return text(load,
                  "(kv_start + min(t + ${j}u, params.context - 1u) * params.kv_position + ${i}u)");
    }
    return text("subgroupBroadcast(", mine, "[(${j}u * ${QUADS}u + ${i}u) / ${LANES}u], ",
                "(${j}u * ${QUADS}u + ${i}u) % ${LANES}u)");
  };
  std::string_view loading;
  if (route.lanes > 1) loading = wgsl::attention::attention_load_lanes::kSource.text;
  return a.step<wgsl::attention::attention>(
      {o_.y, partial_, o_.q, o_.k, o_.v, o_.mask.value_or(o_.q)},
      {{"LANES", std::to_string(route.lanes)},
       {"ROWS", std::to_string(route.rows)},
       {"QUADS", std::to_string(quads)},
       {"LOADS", std::to_string(kBatch * quads / route.lanes)},
       {"KEY", quad("k_quad", "my_keys")},
       {"VALUE", quad("v_quad", "my_values")},
       {"LOAD", std::string(loading)},
       {"MASK", tile_mask_text(a, o_.mask)}},
      text(route.tile_rows(), "x", 4 * quads));
}

void Attention::plan(const Problem& p, Plan& plan) const {
  if (p.head_dim == 0 || p.head_dim != tiled_head_dim_) {
    plan_any(p, plan);
  } else {
    plan_tiles(p, plan);
  }
}

void Attention::plan_any(const Problem& p, Plan& plan) const {
  const int64_t numel = p.batch * p.q_heads * p.positions * p.head_dim;
  plan.run(any_,
           {.quads = quads_of(numel),
            .numel = u32(numel),
            .head_dim = u32(p.head_dim),
            .q_heads = u32(p.q_heads),
            .group = u32(p.q_heads / p.kv_heads),
            .positions = u32(p.positions),
            .context = u32(p.context),
            .causal_from = u32(p.causal_from),
            .heads_inside = p.q_head < p.q_position,
            .q_batch = u32(p.q_batch),
            .q_position = u32(p.q_position),
            .q_head = u32(p.q_head),
            .kv_batch = u32(p.kv_batch),
            .kv_position = u32(p.kv_position),
            .kv_head = u32(p.kv_head),
            .mask_batch = u32(p.mask_batch),
            .mask_head = u32(p.mask_head),
            .mask_row = u32(p.mask_row),
            .scale = narrow_to_float(p.scale)},
           // Four elements, each of which looks at every key, eight numbers at a time.
           Grid::quads(numel), Rounds{4 * p.context * (ceil_div<int64_t>(p.head_dim, 8) + 1)});
}

void Attention::plan_tiles(const Problem& p, Plan& plan) const {
  int64_t chunks = 1;
  if (split_ && split_->takes(p)) {
    chunks = split_->plan(p, plan);
  } else {
    chunks = blocks_ ? plan_blocks(p, plan) : plan_routes(p, plan);
  }
  if (chunks > 1) merge_.plan(p, chunks, plan);
}

int64_t Attention::chunks_for(const Problem& p, int64_t tile_rows) {
  const int64_t tiles = ceil_div(p.rows(), tile_rows);
  const bool few = p.rows() <= kFewRows || p.heads() * tiles < kTilesEnough;
  return few ? std::max<int64_t>(ceil_div(p.context, kChunk), 1) : 1;
}

int64_t Attention::plan_blocks(const Problem& p, Plan& plan) const {
  const int64_t chunks = chunks_for(p, BlockAttention::kRows);
  blocks_->plan(p, chunks, chunk_of(p, chunks), plan);
  return chunks;
}

int64_t Attention::plan_routes(const Problem& p, Plan& plan) const {
  const Route& route = routes_.at(p.rows());
  const int64_t tiles = ceil_div(p.rows(), route.tile_rows());
  const int64_t chunks = chunks_for(p, route.tile_rows());
  // A few rows that are over where others make whole tiles have a smaller tile.
  const Route& small = routes_.at(kFewRows + 1);
  const int64_t over = p.rows() % route.tile_rows();
  const bool splits = chunks == 1 && tiles > 1 && over > 0 && over <= small.tile_rows() &&
                      small.rows < route.rows && small.lanes == route.lanes;
  const int64_t even = splits ? p.rows() - over : p.rows();
  plan_part(route, {0, even}, chunks, p, plan);
  if (splits) plan_part(small, {even, over}, chunks, p, plan);
  return chunks;
}

void Attention::plan_part(const Route& route, const Part& part, int64_t chunks, const Problem& p,
                          Plan& plan) const {
  const int64_t chunk = chunk_of(p, chunks);
  auto params = tile_params<wgsl::attention::attention::Params>(
      p, ceil_div(part.rows, route.tile_rows()), chunks, chunk);
  params.row_start = u32(part.start);
  plan.run(route.step, params, Grid::lanes(params.tiles, route.lanes),
           Rounds{ceil_div(chunk, kBatch),
                  work_of(route, p.head_quads()) / work_of(routes_.back(), p.head_quads())});
}

double Attention::work_of(const Route& route, int64_t quads) {
  // What rows take is theirs; bringing four keys and values, and handing them around, is for all.
  constexpr int64_t kBring = 60, kProducts = 8, kSoftmax = 24;
  return static_cast<double>(kBring * quads + route.rows * (kProducts * quads + kSoftmax));
}

}  // namespace highwater
