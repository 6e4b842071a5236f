#include <algorithm>

#include "graph/op.h"
#include "ops/routes.h"
#include "wgsl/training/q4_backward_any.h"
#include "wgsl/training/q4_backward_tile.h"

namespace highwater {
namespace {

// The gradient of a 4-bit layer's input: the gradients of its outputs times its weight.
class LinearQ4Backward final : public Op {
 public:
  explicit LinearQ4Backward(Args& a)
      : d_(a.tensor("d_out")),
        w_(a.tensor("weights")),
        scale_(a.tensor("weight_scales")),
        group_(a.integer("group_size")),
        y_(a.out()) {
    const Dims &w = a.bound(w_), &scale = a.bound(scale_);
    a.require(w.rank() == 2 && scale.rank() == 2 && a.dtype(w_) == DType::UInt8,
              "a 4-bit weight of dims ", w, " with scales of dims ", scale);
    if (w.rank() != 2 || scale.rank() != 2) return;
    depth_ = w[0];
    columns_ = 2 * w[1];
    scale_row_ = scale[1];
    a.require(group_ > 0 && scale_row_ >= depth_ &&
                  scale[0] >= ceil_div<int64_t>(columns_, std::max<int64_t>(group_, 1)),
              "scales of dims ", scale, " do not cover groups of ", group_, " in a weight of ", w);
    if (tiles()) {
      for (Route& route : routes_) {
        route.step = a.step<wgsl::training::q4_backward_tile>(
            {y_, d_, w_, scale_}, {{"ROWS", std::to_string(route.rows)}}, text(route.rows, "x8"));
      }
    } else {
      any_ = a.step<wgsl::training::q4_backward_any>({y_, d_, w_, scale_});
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& d = s[d_];
    if (s[w_] != s.bound(w_) || s[scale_] != s.bound(scale_)) {
      return fail("a weight of dims ", s[w_], " with scales of dims ", s[scale_], "; only ",
                  s.bound(w_), " and ", s.bound(scale_), " go together");
    }
    if (d.empty() || d.back() != depth_) {
      return fail("gradients of dims ", d, " where the last should be ", depth_);
    }
    Dims y = d;
    y[y.rank() - 1] = columns_;
    plan.resize(y_, y);
    const int64_t rows = d.rows();
    if (!tiles()) {
      plan.run(any_,
               {.quads = quads_of(y.numel()),
                .numel = u32(y.numel()),
                .columns = u32(columns_),
                .depth = u32(depth_),
                .group = u32(group_),
                .scale_row = u32(scale_row_)},
               Grid::quads(y.numel()), Rounds{4 * depth_});
      return {};
    }
    const Route& route = routes_.at(rows);
    const int64_t tiles = ceil_div(rows, route.rows) * (columns_ / 8);
    plan.run(route.step,
             {.tiles = u32(tiles),
              .rows = u32(rows),
              .row_words = u32(columns_ / 8),
              .depth_quads = u32(depth_ / 4),
              .group_words = u32(group_ / 8),
              .scale_row_quads = u32(scale_row_ / 4)},
             Grid::threads(tiles), Rounds{depth_ / 4});
    return {};
  }

 private:
  // How many rows an invocation computes.
  struct Route {
    int64_t from_rows;
    int64_t rows;
    Step<wgsl::training::q4_backward_tile> step = {};
  };

  bool tiles() const {
    return depth_ % 4 == 0 && columns_ % 8 == 0 && group_ % 8 == 0 && scale_row_ % 4 == 0;
  }

  Tensor d_;
  Tensor w_;
  Tensor scale_;
  int64_t group_;
  Tensor y_;
  int64_t depth_ = 0;
  int64_t columns_ = 0;
  int64_t scale_row_ = 0;
  Routes<Route> routes_{{1, 1}, {2, 4}};
  Step<wgsl::training::q4_backward_any> any_;
};

HIGHWATER_OP(LinearQ4Backward,
             "et_vk.linear_q4gsw_backward.default(FloatTensor d_out, IntTensor weights, "
             "FloatTensor weight_scales, int group_size) -> Tensor");

}  // namespace
}  // namespace highwater
