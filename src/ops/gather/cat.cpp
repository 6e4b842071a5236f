#include "wgsl/gather/cat.h"

#include <algorithm>

#include "graph/op.h"

namespace highwater {
namespace {

class Cat final : public Op {
 public:
  explicit Cat(Args& a) : xs_(a.tensors("tensors")), y_(a.out()) {
    const int64_t dim = a.integer("dim");
    const auto at = wrap_dim(dim, a.bound(y_).rank());
    a.require(at.ok() && !a.bound(y_).empty(), "dim ", dim, " of ", a.bound(y_));
    a.require(!xs_.empty(), "there is nothing to join");
    if (at) dim_ = *at;
    for (Tensor x : xs_) {
      a.require(a.bound(x).rank() == a.bound(y_).rank(), "joining ", a.bound(x), " into ",
                a.bound(y_));
    }
    for (size_t first = 0; first < xs_.size(); first += kPerStep) {
      // A step binds four inputs; those that it lacks are bound to its first, and read nothing.
      std::vector<Tensor> bindings{y_};
      for (size_t k = 0; k < kPerStep; ++k) {
        bindings.push_back(xs_[first + k < xs_.size() ? first + k : first]);
      }
      steps_.push_back(a.step<wgsl::gather::cat>(bindings, {}));
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims y = s[xs_[0]];
    y[dim_] = 0;
    for (Tensor x : xs_) {
      Dims d = s[x];
      y[dim_] += d[dim_];
      d[dim_] = y[dim_];
      if (d != y) return fail("dims ", s[x], " do not join with ", s[xs_[0]], " along ", dim_);
    }
    plan.resize(y_, y);

    const int64_t inner = y.product(dim_ + 1, y.rank());
    bool by_quad = true;
    for (Tensor x : xs_) by_quad = by_quad && s[x][dim_] * inner % 4 == 0;
    const int64_t unit = by_quad ? 4 : 1;
    wgsl::gather::cat::Params params{};
    params.quads = quads_of(y.numel());
    params.by_quad = by_quad;
    params.width = u32(y[dim_] * inner / unit);
    uint32_t start = 0;
    for (size_t i = 0; i < xs_.size(); ++i) {
      const size_t k = i % kPerStep;
      if (k == 0) params.start = params.extent = {};
      params.start[k] = start;
      params.extent[k] = u32(s[xs_[i]][dim_] * inner / unit);
      start += params.extent[k];
      if (k + 1 < kPerStep && i + 1 < xs_.size()) continue;
      plan.run(steps_[i / kPerStep], params, Grid::quads(y.numel()));
    }
    return {};
  }

 private:
  static constexpr size_t kPerStep = 4;

  std::vector<Tensor> xs_;
  size_t dim_ = 0;
  Tensor y_;
  std::vector<Step<wgsl::gather::cat>> steps_;
};

HIGHWATER_OP(Cat, "aten.cat.default(Tensor[] tensors, int dim=0) -> Tensor");

}  // namespace
}  // namespace highwater
