#include "ops/sample/parts.h"

#include <algorithm>

namespace highwater {
namespace {

// Each is worth a workgroup, and there is one invocation for each in the end.
constexpr int64_t kLeastSlice = 1024;
constexpr int64_t kMostParts = Grid::kWorkgroupSize;

// As in cuts.wgsl.
constexpr uint32_t kCutK = 0, kCutP = 1;
constexpr uint32_t kDigits = 3;
constexpr int64_t kBins = 2048;
constexpr int64_t kMemory = 2 * kMostParts + 4 * (kDigits + 1) + 2 * kDigits * kBins;

int64_t parts_of(const SampleRow& row) {
  return std::min(ceil_div(row.count, kLeastSlice), kMostParts);
}

}  // namespace

SampleByParts::SampleByParts(Args& a, Tensor y, Tensor logits)
    : finds_(a.scratch(DType::Int32, 2 * kMostParts)),
      memory_(a.scratch(DType::Int32, kMemory)),
      most_likely_(a.step<wgsl::sample::most_likely_of_part>({finds_, logits})) {
  const std::vector<Substitution> sizes{{"MOST_PARTS", std::to_string(kMostParts)}};
  tops_ = a.step<wgsl::sample::tops_of_parts>({logits, memory_}, sizes);
  sums_ = a.step<wgsl::sample::sums_of_parts>({logits, memory_}, sizes);
  for (auto& digits : weigh_) {
    for (auto& step : digits) step = a.step<wgsl::sample::weigh_parts>({logits, memory_}, sizes);
  }
  draw_ = a.step<wgsl::sample::draw_of_part>({finds_, logits, memory_}, sizes);
  best_ = a.step<wgsl::sample::best_of_parts>({y, finds_});
}

void SampleByParts::plan_most_likely(const SampleRow& row, Plan& plan) const {
  plan.resize(finds_, {2 * kMostParts});
  run(most_likely_, row, plan);
  plan_best(row, plan);
}

void SampleByParts::plan_draw(const SampleRow& row, Plan& plan) const {
  plan.resize(finds_, {2 * kMostParts});
  plan.resize(memory_, {kMemory});
  const bool by_k = row.top_k > 0, by_p = row.top_p < 1;
  if (by_k || by_p) run(tops_, row, plan);
  if (by_k) plan_cut(kCutK, row, plan);
  if (by_p) {
    run(sums_, row, plan);
    plan_cut(kCutP, row, plan);
  }
  run(draw_, row, plan);
  plan_best(row, plan);
}

void SampleByParts::plan_cut(uint32_t cut, const SampleRow& row, Plan& plan) const {
  for (uint32_t digit = 0; digit < kDigits; ++digit) run(weigh_[cut][digit], row, plan, cut, digit);
}

void SampleByParts::plan_best(const SampleRow& row, Plan& plan) const {
  auto params = row.params<wgsl::sample::best_of_parts::Params>();
  params.parts = u32(parts_of(row));
  plan.run(best_, params, Grid::groups(1), Rounds{1});
}

template <class K>
void SampleByParts::run(Step<K> step, const SampleRow& row, Plan& plan, uint32_t cut,
                        uint32_t digit) const {
  const int64_t parts = parts_of(row);
  auto params = row.params<typename K::Params>();
  params.parts = u32(parts);
  params.slice = u32(ceil_div(row.count, parts));
  params.cut = cut;
  params.digit = digit;
  // A walk through the slice, and a few through bins.
  plan.run(step, params, Grid::groups(parts),
           Rounds{ceil_div<int64_t>(params.slice, Grid::kWorkgroupSize) + kBins});
}

}  // namespace highwater
