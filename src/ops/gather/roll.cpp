#include "wgsl/gather/roll.h"

#include "graph/op.h"

namespace highwater {
namespace {

// Without dims, x is turned as one row.
class Roll final : public Op {
 public:
  explicit Roll(Args& a)
      : x_(a.tensor("self")),
        shifts_(a.live_integers("shifts")),
        y_(a.out()),
        step_(a.step<wgsl::gather::roll>({y_, x_})) {
    for (int64_t dim : a.integers("dims")) {
      const auto at = wrap_dim(dim, a.bound(x_).rank());
      a.require(at.ok() && !a.bound(x_).empty(), "dim ", dim, " of ", a.bound(x_));
      dims_.push_back(at ? *at : 0);
    }
    const size_t turned = dims_.empty() ? 1 : dims_.size();
    a.require(shifts_.size() == turned, shifts_.size(), " shifts for ", turned, " dims");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    plan.resize(y_, x);
    if (x.numel() == 0) return {};
    const Dims turned = dims_.empty() ? Dims{x.numel()} : x;
    std::array<int64_t, Dims::kMaxRank> ahead{};
    for (size_t k = 0; k < shifts_.size(); ++k) {
      const size_t dim = dims_.empty() ? 0 : dims_[k];
      ahead[dim] = (ahead[dim] + ahead_of(s[shifts_[k]], turned[dim])) % turned[dim];
    }
    plan.run(step_, params_of(turned, ahead), Grid::quads(x.numel()));
    return {};
  }

 private:
  using Params = wgsl::gather::roll::Params;

  // An element of y comes from `shift` before it, which is so far after it.
  static int64_t ahead_of(int64_t shift, int64_t size) {
    const int64_t back = shift % size;
    return back <= 0 ? -back : size - back;
  }

  static Params params_of(const Dims& x, const std::array<int64_t, Dims::kMaxRank>& ahead) {
    // What is not turned is one with the dim outside it.
    Dims sizes, aheads;
    int64_t inner = 1;
    for (size_t i = x.rank(); i-- > 0;) {
      inner *= x[i];
      if (ahead[i] == 0 && i > 0) continue;
      sizes.insert(0, inner);
      aheads.insert(0, ahead[i] * (inner / x[i]));
      inner = 1;
    }
    Params params{};
    params.quads = quads_of(x.numel());
    params.numel = u32(x.numel());
    params.rank = u32(static_cast<int64_t>(sizes.rank()));
    params.by_quad = sizes.back() % 4 == 0 && aheads.back() % 4 == 0;
    for (size_t i = 0; i < sizes.rank(); ++i) {
      params.dims[4 * i] = u32(sizes[i]);
      params.dims[4 * i + 1] = u32(aheads[i]);
    }
    return params;
  }

  Tensor x_;
  LiveInts shifts_;
  Tensor y_;
  Step<wgsl::gather::roll> step_;
  std::vector<size_t> dims_;
};

HIGHWATER_OP(Roll, "aten.roll.default(Tensor self, SymInt[] shifts, int[] dims=[]) -> Tensor");

}  // namespace
}  // namespace highwater
