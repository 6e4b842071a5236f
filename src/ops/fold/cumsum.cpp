#include "wgsl/fold/cumsum.h"

#include "graph/op.h"

namespace highwater {
namespace {

class CumulativeSum final : public Op {
 public:
  explicit CumulativeSum(Args& a)
      : x_(a.tensor("self")),
        y_(a.out()),
        step_(
            a.step<wgsl::fold::cumsum>({y_, x_}, {{"T", is_float(a.dtype(y_)) ? "f32" : "i32"}})) {
    const Dims bound = a.bound(x_);
    const auto dim = wrap_dim(a.integer("dim"), bound.rank());
    a.require(dim.ok(), "dim ", a.integer("dim"), " of ", bound);
    if (dim) dim_ = *dim;
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    plan.resize(y_, x);
    if (x.numel() == 0) return {};
    const int64_t count = x.empty() ? 1 : x[dim_];
    const int64_t inner = x.empty() ? 1 : x.product(dim_ + 1, x.rank());
    Mode mode = Mode::Elements;
    if (inner == 1) mode = Mode::Rows;
    if (inner % 4 == 0) mode = Mode::Columns;
    const int64_t walks = x.numel() / count;
    const int64_t items =
        mode == Mode::Elements ? ceil_div<int64_t>(x.numel(), 4) : ceil_div<int64_t>(walks, 4);
    const int64_t rounds = mode == Mode::Elements ? 4 * (count + 1) : count;
    plan.run(step_,
             {.items = u32(items),
              .numel = u32(x.numel()),
              .count = u32(count),
              .inner = u32(inner),
              .mode = static_cast<uint32_t>(mode)},
             Grid::threads(items), Rounds{rounds});
    return {};
  }

 private:
  enum class Mode : uint8_t { Elements, Columns, Rows };

  Tensor x_;
  Tensor y_;
  Step<wgsl::fold::cumsum> step_;
  size_t dim_ = 0;
};

HIGHWATER_OP(CumulativeSum,
             "aten.cumsum.default(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor");

}  // namespace
}  // namespace highwater
