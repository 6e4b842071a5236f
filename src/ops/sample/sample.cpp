#include "wgsl/sample/sample.h"

#include <bit>

#include "graph/op.h"
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
    const int64_t walk = ceil_div<int64_t>(logits.back(), Grid::kWorkgroupSize);
    const bool greedy = temperature == 0.0f || s[top_k_] == 1;
    if (greedy) {
      plan.run(most_likely_, params_of<wgsl::sample::most_likely::Params>(s), Grid::groups(1),
               Rounds{walk});
      return {};
    }
    auto params = params_of<wgsl::sample::sample::Params>(s);
    params.inverse_temperature = 1.0f / temperature;
    // All tokens are no choice.
    params.top_k = s[top_k_] < logits.back() ? u32(s[top_k_]) : 0;
    params.top_p = top_p;
    params.draw = static_cast<uint32_t>(s[draw_]);
    params.seed_low = static_cast<uint32_t>(s[seed_]);
    params.seed_high = static_cast<uint32_t>(s[seed_] >> 32);
    // For the largest, for the sum, and to draw; and by four steps for each of two cuts, whose bins
    // are walked as well.
    plan.run(sample_, params, Grid::groups(1), Rounds{11 * walk + 8 * kBins});
    return {};
  }

 private:
  static constexpr int64_t kBins = 256;

  template <class Params>
  Params params_of(const Shapes& s) const {
    Params params{};
    params.count = u32(s[logits_].back());
    params.start = u32(s[logits_].numel() - s[logits_].back());
    return params;
  }

  Tensor logits_;
  LiveInt temperature_;
  LiveInt top_k_;
  LiveInt top_p_;
  LiveInt seed_;
  LiveInt draw_;
  Tensor y_;
  Step<wgsl::sample::most_likely> most_likely_;
  Step<wgsl::sample::sample> sample_;
};

HIGHWATER_OP(Sample,
             "highwater.sample.default(FloatTensor logits, SymInt temperature, SymInt top_k, "
             "SymInt top_p, SymInt seed, SymInt draw) -> Tensor");

}  // namespace
}  // namespace highwater
