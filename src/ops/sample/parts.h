// Drawing a token on a GPU, where many workgroups share a row of logits.
#pragma once

#include <array>

#include "graph/op.h"
#include "graph/params.h"
#include "wgsl/sample/best_of_parts.h"
#include "wgsl/sample/draw_of_part.h"
#include "wgsl/sample/most_likely_of_part.h"
#include "wgsl/sample/sums_of_parts.h"
#include "wgsl/sample/tops_of_parts.h"
#include "wgsl/sample/weigh_parts.h"

namespace highwater {

// A row of logits, and how to draw from it.
struct SampleRow {
  int64_t count = 0;
  int64_t start = 0;
  float temperature = 1;
  int64_t top_k = 0;  // 0: of all
  float top_p = 1;
  int64_t seed = 0;
  int64_t draw = 0;  // numbers the draws of one seed

  // For kernels that include sample_shared.wgsl.
  template <class Params>
  Params params() const {
    Params params{};
    params.count = u32(count);
    params.start = u32(start);
    params.inverse_temperature = 1.0f / temperature;
    params.top_k = u32(top_k);
    params.top_p = top_p;
    params.draw = static_cast<uint32_t>(draw);
    params.seed_low = static_cast<uint32_t>(seed);
    params.seed_high = static_cast<uint32_t>(seed >> 32);
    return params;
  }
};

class SampleByParts {
 public:
  // From how many logits on that is worth its dispatches.
  static constexpr int64_t kFrom = 4096;

  SampleByParts(Args& a, Tensor y, Tensor logits);

  void plan_most_likely(const SampleRow& row, Plan& plan) const;
  void plan_draw(const SampleRow& row, Plan& plan) const;

 private:
  void plan_cut(uint32_t cut, const SampleRow& row, Plan& plan) const;
  void plan_best(const SampleRow& row, Plan& plan) const;
  template <class K>
  void run(Step<K> step, const SampleRow& row, Plan& plan, uint32_t cut = 0,
           uint32_t digit = 0) const;

  Tensor finds_;   // the best token of each part
  Tensor memory_;  // what the dispatches of a draw tell each other; see cuts.wgsl
  Step<wgsl::sample::most_likely_of_part> most_likely_;
  Step<wgsl::sample::tops_of_parts> tops_;
  Step<wgsl::sample::sums_of_parts> sums_;
  // Of each cut, for each digit: a step runs once in a plan.
  std::array<std::array<Step<wgsl::sample::weigh_parts>, 3>, 2> weigh_;
  Step<wgsl::sample::draw_of_part> draw_;
  Step<wgsl::sample::best_of_parts> best_;
};

}  // namespace highwater
