#include "wgsl/fold/norm.h"

#include <algorithm>

#include "ops/fold/row_steps.h"
#include "ops/lanes.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// Results are y, the mean and 1 / deviation of each row. For a layer norm, a row is the normalized
// dims, and the weights have an element for each of its own; for a group norm it is a group of
// channels, and they have an element for each channel.
class Norm final : public Op {
 public:
  explicit Norm(Args& a)
      : is_group_(a.op() == "aten.native_group_norm.default"),
        x_(a.tensor("input")),
        w_(a.optional_tensor("weight")),
        b_(a.optional_tensor("bias")),
        eps_(narrow_to_float(a.number("eps"))),
        groups_count_(is_group_ ? a.integer("group") : 1),
        row_dims_(is_group_ ? 0 : a.live_integers("normalized_shape").size()),
        lanes_(usable_lanes(a.traits())) {
    const size_t rank = a.bound(x_).rank();
    a.require(groups_count_ > 0, groups_count_, " groups");
    a.require(is_group_ ? rank >= 2 : row_dims_ >= 1 && row_dims_ <= rank, "normalizing ",
              a.bound(x_), " along ", row_dims_, " dims");
    const std::vector<Tensor> outs = a.outs();
    y_ = outs[0], mean_ = outs[1], scale_ = outs[2];
    // A kernel without weights is bound to x in their place, and does not look.
    rows_ = RowSteps<wgsl::fold::norm>(
        a,
        {.bindings = {y_, mean_, scale_, x_, w_.value_or(x_), b_.value_or(x_)},
         .substitutions = {{"W_QUAD", w_ ? "w_quad(q)" : "1.0"},
                           {"B_QUAD", b_ ? "b_quad(q)" : "0.0"},
                           {"W_AT", w_ ? "w_at(i)" : "1.0"},
                           {"B_AT", b_ ? "b_at(i)" : "0.0"}},
         .lanes = lanes_},
        walk(most_width(a), kRoundsAnElement * most_width(a)));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    HW_TRY(const Layout layout, layout_of(s[x_]));
    for (const auto& weights : {w_, b_}) {
      if (weights && s[*weights].numel() != groups_count_ * layout.group_weights) {
        return fail("weights of dims ", s[*weights], " for an input of ", s[x_]);
      }
    }
    plan.resize(y_, s[x_]).resize(mean_, layout.stats).resize(scale_, layout.stats);
    const int64_t rows = layout.stats.numel();
    const int64_t rounds = layout.width % 4 == 0 ? kRoundsAnElement / 4 * layout.width
                                                 : kRoundsAnElement * layout.width;
    rows_.plan(walk(layout.width, rounds), ceil_div<int64_t>(rows, 4),
               {.quads = quads_of(rows),
                .rows = u32(rows),
                .width = u32(layout.width),
                .groups = u32(groups_count_),
                .group_weights = u32(layout.group_weights),
                .share = u32(layout.share),
                .eps = eps_},
               plan);
    return {};
  }

 private:
  // Four rows, each of which is walked three times; by quads where they are whole.
  static constexpr int64_t kRoundsAnElement = 12;

  Walk walk(int64_t width, int64_t rounds) const {
    Walk walk = Walk::of(width, rounds);
    walk.alone = ceil_div<int64_t>(rounds, lanes_);
    return walk;
  }

  // Rows of `width` elements, one for each element of `stats`.
  struct Layout {
    Dims stats;
    int64_t width = 1;
    int64_t group_weights = 1;
    int64_t share = 1;  // elements to a weight
  };

  Result<Layout> layout_of(const Dims& x) const {
    Layout layout;
    if (is_group_) {
      if (x[1] % groups_count_ != 0) return fail(x[1], " channels in ", groups_count_, " groups");
      layout.stats = {x[0], groups_count_};
      layout.share = x.product(2, x.rank());
      layout.group_weights = x[1] / groups_count_;
      layout.width = layout.group_weights * layout.share;
      return layout;
    }
    for (size_t i = 0; i < x.rank(); ++i) {
      const bool in_row = i + row_dims_ >= x.rank();
      layout.stats.push_back(in_row ? 1 : x[i]);
      if (in_row) layout.width *= x[i];
    }
    layout.group_weights = layout.width;
    return layout;
  }

  int64_t most_width(Args& a) const {
    const Dims& bound = a.bound(x_);
    return is_group_
               ? bound.product(1, bound.rank()) / std::max<int64_t>(groups_count_, 1)
               : bound.product(bound.rank() - std::min(row_dims_, bound.rank()), bound.rank());
  }

  bool is_group_;
  Tensor x_;
  std::optional<Tensor> w_;
  std::optional<Tensor> b_;
  float eps_;
  int64_t groups_count_;
  size_t row_dims_;
  // A software adapter walks four rows by a subgroup: by an invocation there would be too few.
  uint32_t lanes_;
  Tensor y_;
  Tensor mean_;
  Tensor scale_;
  RowSteps<wgsl::fold::norm> rows_;
};

HIGHWATER_OP(Norm,
             "aten.native_layer_norm.default(FloatTensor input, SymInt[] normalized_shape, "
             "FloatTensor? weight, FloatTensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
             "aten.native_group_norm.default(FloatTensor input, FloatTensor? weight, "
             "FloatTensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> "
             "(Tensor, Tensor, Tensor)");

}  // namespace
}  // namespace highwater
