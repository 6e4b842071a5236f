#include "ops/attention/attention.h"

#include <algorithm>

namespace highwater {
namespace {

// What a mask adds to the scores of row m at the places t to t + 3.
std::string mask_text(const Args& a, const std::optional<Tensor>& mask) {
  if (!mask) return "";
  const std::string at =
      "min(position${m} * params.mask_row + t + JJ, position${m} * "
      "params.mask_row + params.context - 1u)";
  std::string out;
  for (int j = 0; j < 4; ++j) {
    std::string place = at;
    place.replace(place.find("JJ"), 2, text(j, "u"));
    const bool hides = !is_float(a.dtype(*mask));
    out += hides ? text("score${m}[", j, "] = select(LOWEST, score${m}[", j, "], mask_at(", place,
                        ") != 0); ")
                 : text("score${m}[", j, "] += mask_at(", place, "); ");
  }
  return out;
}

}  // namespace

Attention::Attention(Args& a, const Operands& operands, const Problem& largest) : o_(operands) {
  a.require(o_.head_dim > 0 && o_.head_dim % 4 == 0, "a head dim of ", o_.head_dim,
            "; it must be a multiple of 4");
  a.require(largest.kv_heads > 0 && largest.q_heads % std::max<int64_t>(largest.kv_heads, 1) == 0,
            largest.q_heads, " query heads for ", largest.kv_heads, " kv heads");
  const int64_t quads = o_.head_dim / 4;
  // Only few rows are ever cut, and then by the whole context.
  const int64_t cut_rows = largest.batch * largest.kv_heads * 4 * kRowsWorthCutting;
  partial_ =
      a.scratch(DType::Float32, cut_rows * ceil_div(largest.context, kChunk) * (quads + 1) * 4);
  for (size_t i = 0; i < kTileRows.size(); ++i) {
    steps_[i] = a.step<wgsl::attention>({o_.y, partial_, o_.q, o_.k, o_.v, o_.mask.value_or(o_.q)},
                                        {{"ROWS", std::to_string(kTileRows[i])},
                                         {"LAST", std::to_string(kTileRows[i] - 1)},
                                         {"QUADS", std::to_string(quads)},
                                         {"MASK", mask_text(a, o_.mask)}},
                                        text(kTileRows[i], "x", o_.head_dim));
  }
  merge_ = a.step<wgsl::attention_merge>({o_.y, partial_});
}

int64_t Attention::chunks(const Problem& p, int64_t row_tiles) {
  return row_tiles < kRowsWorthCutting ? ceil_div(p.context, kChunk) : 1;
}

void Attention::plan(const Problem& p, Plan& plan) const {
  const int64_t group = p.q_heads / p.kv_heads;
  const int64_t rows = p.positions * group;
  const size_t route = rows >= 4 ? 2 : rows >= 2 ? 1 : 0;
  const int64_t row_tiles = ceil_div(rows, kTileRows[route]);
  const int64_t parts = std::max<int64_t>(chunks(p, row_tiles), 1);
  const int64_t heads = p.batch * p.kv_heads;
  const int64_t quads = o_.head_dim / 4;
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
  params.mask_row = u32(p.mask_row);
  params.scale = static_cast<float>(o_.scale);
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
