#include "wgsl/map/grid_priors.h"

#include "graph/op.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// Of x only the height and the width count.
class GridPriors final : public Op {
 public:
  explicit GridPriors(Args& a)
      : x_(a.tensor("self")),
        stride_(narrow_to_float(static_cast<double>(a.integer("stride")))),
        offset_(narrow_to_float(a.number("offset"))),
        y_(a.out()),
        step_(a.step<wgsl::map::grid_priors>({y_})) {
    a.require(a.bound(x_).rank() >= 2, "an input of dims ", a.bound(x_));
    a.require(is_float(a.dtype(y_)), "its result is ", a.dtype(y_));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Dims y{x.product(x.rank() - 2, x.rank()), 2};
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = quads_of(y.numel()),
              .width = u32(x.back()),
              .stride = stride_,
              .offset = offset_},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor x_;
  float stride_;
  float offset_;
  Tensor y_;
  Step<wgsl::map::grid_priors> step_;
};

HIGHWATER_OP(GridPriors,
             "et_vk.grid_priors.default(Tensor self, int stride, float offset) -> Tensor");

}  // namespace
}  // namespace highwater
