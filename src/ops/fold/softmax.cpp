#include "wgsl/fold/softmax.h"

#include "ops/fold/row_steps.h"
#include "wgsl/fold/softmax_apply.h"
#include "wgsl/fold/softmax_stats.h"

namespace highwater {
namespace {

// The output's dtype says all that half_to_float would.
class Softmax final : public Op {
 public:
  explicit Softmax(Args& a) : x_(a.tensor("self")), y_(a.out()) {
    const Dims& bound = a.bound(x_);
    const auto dim = wrap_dim(a.integer("dim"), bound.rank());
    a.require(dim.ok(), "dim ", a.integer("dim"), " of ", bound);
    a.require(is_float(a.dtype(y_)), "its result is not of a float dtype");
    if (dim) dim_ = *dim;
    const bool is_log = a.op() == "aten._log_softmax.default";
    const std::vector<Substitution> functions{
        {"SCALE", is_log ? "log(sum)" : "1.0 / sum"},
        {"RESULT", is_log ? "v - top - scale" : "exp(v - top) * scale"}};
    const std::string_view variant = is_log ? "log" : "";
    is_last_ = dim_ + 1 >= bound.rank();
    if (is_last_) {
      rows_ = RowSteps<wgsl::fold::softmax>(
          a, {.bindings = {y_, x_}, .substitutions = functions, .variant = variant},
          walk(bound.back(), 4));
      return;
    }
    const int64_t most_walks = bound.product(0, dim_) * bound.product(dim_ + 1, bound.rank());
    top_ = a.scratch(DType::Float32, most_walks);
    sum_ = a.scratch(DType::Float32, most_walks);
    stats_ = a.step<wgsl::fold::softmax_stats>({top_, sum_, x_}, functions, variant);
    apply_ = a.step<wgsl::fold::softmax_apply>({y_, x_, top_, sum_}, functions, variant);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    plan.resize(y_, s[x_]);
    if (s[x_].numel() == 0) return {};
    if (is_last_) {
      plan_rows(s[x_], plan);
    } else {
      plan_walks(s[x_], plan);
    }
    return {};
  }

 private:
  // As many rows as make whole quads are taken together, and each is walked three times.
  static Walk walk(int64_t width, int64_t rows_each) {
    const int64_t quads = ceil_div<int64_t>(width, 4);
    return {width, 3 * rows_each * quads,
            3 * rows_each * ceil_div<int64_t>(quads, Grid::kWorkgroupSize)};
  }

  void plan_rows(const Dims& x, Plan& plan) const {
    const int64_t width = x.back(), rows = x.numel() / width;
    const int64_t rows_each = width % 4 == 0 ? 1 : width % 2 == 0 ? 2 : 4;
    const int64_t blocks = ceil_div(rows, rows_each);
    rows_.plan(walk(width, rows_each), blocks,
               {.blocks = u32(blocks),
                .rows_each = u32(rows_each),
                .rows = u32(rows),
                .width = u32(width)},
               plan);
  }

  void plan_walks(const Dims& x, Plan& plan) const {
    const int64_t count = x[dim_], inner = x.product(dim_ + 1, x.rank());
    const int64_t walks = x.numel() / count;
    plan.resize(top_, {walks}).resize(sum_, {walks});
    plan.run(
        stats_,
        {.quads = quads_of(walks), .walks = u32(walks), .count = u32(count), .inner = u32(inner)},
        Grid::quads(walks), Rounds{2 * count});
    plan.run(apply_, {.quads = quads_of(x.numel()), .count = u32(count), .inner = u32(inner)},
             Grid::quads(x.numel()));
  }

  Tensor x_;
  Tensor y_;
  size_t dim_ = 0;
  bool is_last_ = true;
  Tensor top_;
  Tensor sum_;
  RowSteps<wgsl::fold::softmax> rows_;
  Step<wgsl::fold::softmax_stats> stats_;
  Step<wgsl::fold::softmax_apply> apply_;
};

HIGHWATER_OP(Softmax,
             "aten._softmax.default(FloatTensor self, int dim, bool half_to_float) -> Tensor",
             "aten._log_softmax.default(FloatTensor self, int dim, bool half_to_float) -> "
             "Tensor");

}  // namespace
}  // namespace highwater
