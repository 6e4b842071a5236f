// A token for the last row of logits.
#include "wgsl/sample/sample.h"

#include <bit>
#include <optional>

#include "ops/sample/parts.h"
#include "wgsl/sample/most_likely.h"

namespace highwater {
namespace {

float as_float(int64_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

// y is a token for the last row of the logits.
// Temperature and top_p are the bits of floats. `draw` numbers the draws of one seed.
class Sample final : public Op {
 public:
  explicit Sample(Args& a)
      : logits_(a.tensor("logits")),
        temperature_(a.live_integer("temperature")),
        top_k_(a.live_integer("top_k")),
        top_p_(a.live_integer("top_p")),
        seed_(a.live_integer("seed")),
        draw_(a.live_integer("draw")),
        y_(a.out()),
        most_likely_(a.step<wgsl::sample::most_likely>({y_, logits_})),
        sample_(a.step<wgsl::sample::sample>({y_, logits_})) {
    a.require(is_float(a.dtype(logits_)) && !a.bound(logits_).empty(), "logits of dims ",
              a.bound(logits_));
    a.require(!is_float(a.dtype(y_)) && a.bound(y_).numel() == 1, "one token has dims ",
              a.bound(y_));
    if (!a.traits().software && a.last_dim("logits") >= SampleByParts::kFrom) {
      parts_.emplace(a, y_, logits_);
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& logits = s[logits_];
    const float temperature = as_float(s[temperature_]);
    const float top_p = as_float(s[top_p_]);
    if (!(temperature >= 0.0f)) return fail("a temperature of ", temperature);
    if (!(top_p > 0.0f && top_p <= 1.0f)) return fail("top_p is ", top_p, ", not in (0, 1]");
    if (s[top_k_] < 0) return fail("top_k is ", s[top_k_]);
    plan.resize(y_, {1, 1});
    if (logits.numel() == 0) return {};
    const SampleRow row{.count = logits.back(),
                        .start = logits.numel() - logits.back(),
                        .temperature = temperature,
                        // All tokens are no choice.
                        .top_k = s[top_k_] < logits.back() ? s[top_k_] : 0,
                        .top_p = top_p,
                        .seed = s[seed_],
                        .draw = s[draw_]};
    const bool greedy = temperature == 0.0f || s[top_k_] == 1;
    const bool by_parts = parts_ && row.count >= SampleByParts::kFrom;
    const int64_t walk = ceil_div<int64_t>(row.count, Grid::kWorkgroupSize);
    if (by_parts && greedy) {
      parts_->plan_most_likely(row, plan);
    } else if (by_parts) {
      parts_->plan_draw(row, plan);
    } else if (greedy) {
      plan.run(most_likely_, row.params<wgsl::sample::most_likely::Params>(), Grid::groups(1),
               Rounds{walk});
    } else {
      // For the largest, for the sum, and to draw; and by four steps for each of two cuts, whose
      // bins are walked as well.
      plan.run(sample_, row.params<wgsl::sample::sample::Params>(), Grid::groups(1),
               Rounds{11 * walk + 8 * kBins});
    }
    return {};
  }

 private:
  static constexpr int64_t kBins = 256;

  Tensor logits_;
  LiveInt temperature_;
  LiveInt top_k_;
  LiveInt top_p_;
  LiveInt seed_;
  LiveInt draw_;
  Tensor y_;
  Step<wgsl::sample::most_likely> most_likely_;
  Step<wgsl::sample::sample> sample_;
  std::optional<SampleByParts> parts_;  // on a GPU, of many logits
};

HIGHWATER_OP(Sample,
             "highwater.sample.default(FloatTensor logits, SymInt temperature, SymInt top_k, "
             "SymInt top_p, SymInt seed, SymInt draw) -> Tensor");

}  // namespace
}  // namespace highwater
