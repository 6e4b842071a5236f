#include "wgsl/resample/upsample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graph/op.h"

namespace highwater {
namespace {

// How an element of y is made of those of x around its place.
struct Kind {
  std::string_view op;
  std::string_view name;
  std::string_view value;
  std::string_view weights = "vec2<f32>()";  // of a filter, by the distance to the place
  int reach = 0;                             // and how far it reaches
};
constexpr std::array<Kind, 5> kKinds = {{
    {"aten.upsample_nearest2d.vec", "nearest", "nearest(plane, max(at, vec2<f32>()))"},
    {"aten.upsample_bilinear2d.vec", "linear", "linear(plane, max(at, vec2<f32>()))"},
    {"aten.upsample_bicubic2d.vec", "cubic", "cubic(plane, at)"},
    {"aten._upsample_bilinear2d_aa.vec", "filtered_linear", "filtered(plane, at + 0.5)",
     "max(1.0 - away, vec2<f32>())", 1},
    {"aten._upsample_bicubic2d_aa.vec", "filtered_cubic", "filtered(plane, at + 0.5)",
     "cubic_filter(away)", 2},
}};

const Kind& kind_of(std::string_view op) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.op == op; });
}

// Another height and width, given as sizes or as factors.
class Upsample final : public Op {
 public:
  explicit Upsample(Args& a)
      : x_(a.tensor("input")),
        kind_(kind_of(a.op())),
        aligns_corners_(!is_nearest() && a.flag("align_corners")),
        y_(a.out()),
        step_(a.step<wgsl::resample::upsample>({y_, x_},
                                               {{"NEAREST", "floor"},
                                                {"VALUE", std::string(kind_.value)},
                                                {"WEIGHTS", std::string(kind_.weights)},
                                                {"REACH", std::to_string(kind_.reach) + ".0"}},
                                               kind_.name)) {
    const bool by_size = !a.is_null("output_size");
    if (by_size) sizes_ = a.live_integers("output_size");
    if (!a.is_null("scale_factors")) factors_ = a.numbers("scale_factors");
    a.require(sizes_.size() + factors_.size() == 2, "it has ", sizes_.size(), " sizes and ",
              factors_.size(), " factors; two of either are wanted");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    if (x.rank() != 4 || x.product(1, 4) == 0) {
      return fail("an input of dims ", x, "; wanted are a batch, channels, a height and a width");
    }
    Dims y = x;
    for (size_t i = 0; i < 2; ++i) {
      HW_TRY(y[2 + i], size_of(s, i, x[2 + i]));
    }
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = quads_of(y.numel()),
              .numel = u32(y.numel()),
              .x_height = static_cast<int32_t>(x[2]),
              .x_width = static_cast<int32_t>(x[3]),
              .y_height = u32(y[2]),
              .y_width = u32(y[3]),
              .row_scale = scale_of(0, x[2], y[2]),
              .column_scale = scale_of(1, x[3], y[3]),
              .offset = starts_at_edge() ? 0.5f : 0.0f},
             Grid::quads(y.numel()), rounds(x, y));
    return {};
  }

 private:
  bool is_nearest() const { return kind_.name == "nearest"; }
  bool is_filter() const { return kind_.reach > 0; }
  // Whether sizes go from edge to edge, and not from the middle of an element. Filters do, even
  // where only the middles of the outermost elements give the scale.
  bool starts_at_edge() const { return !is_nearest() && (!aligns_corners_ || is_filter()); }

  Rounds rounds(const Dims& x, const Dims& y) const {
    if (!is_filter()) return {};
    int64_t taps = 1;
    for (size_t i = 0; i < 2; ++i) {
      const float width = std::max(scale_of(i, x[2 + i], y[2 + i]), 1.0f);
      taps *= 1 + std::min(x[2 + i], 2 * kind_.reach * static_cast<int64_t>(std::ceil(width)) + 2);
    }
    return {4 * taps};
  }

  Result<int64_t> size_of(const Shapes& s, size_t i, int64_t x) const {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const double size = factors_.empty() ? static_cast<double>(s[sizes_[i]])
                                         : std::trunc(static_cast<double>(x) * factors_[i]);
    // False for NaN, too.
    if (size >= 1 && size <= kMost) return static_cast<int64_t>(size);
    if (factors_.empty()) return fail("a size of ", s[sizes_[i]]);
    return fail("a size of ", x, " times ", factors_[i]);
  }

  // How far apart in x the neighbours of y are. A factor counts as it was given, even if the size
  // that came of it had to be rounded; but where that is the same size, or twice as much for the
  // nearest, torch goes by the size. For cubic without a filter it does not.
  float scale_of(size_t i, int64_t x, int64_t y) const {
    if (aligns_corners_) {
      return y > 1 ? static_cast<float>(x - 1) / static_cast<float>(y - 1) : 0.0f;
    }
    if (x == y && kind_.name != "cubic") return 1.0f;
    if (is_nearest() && y == 2 * x) return 0.5f;
    if (!factors_.empty()) return static_cast<float>(1.0 / factors_[i]);
    return static_cast<float>(x) / static_cast<float>(y);
  }

  Tensor x_;
  const Kind& kind_;
  bool aligns_corners_;
  Tensor y_;
  Step<wgsl::resample::upsample> step_;
  LiveInts sizes_;
  std::vector<double> factors_;
};

HIGHWATER_OP(Upsample,
             "aten.upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, "
             "float[]? scale_factors) -> Tensor",
             "aten.upsample_bilinear2d.vec(FloatTensor input, SymInt[]? output_size, "
             "bool align_corners, float[]? scale_factors) -> Tensor",
             "aten.upsample_bicubic2d.vec(FloatTensor input, SymInt[]? output_size, "
             "bool align_corners, float[]? scale_factors) -> Tensor",
             "aten._upsample_bilinear2d_aa.vec(FloatTensor input, SymInt[]? output_size, "
             "bool align_corners, float[]? scale_factors) -> Tensor",
             "aten._upsample_bicubic2d_aa.vec(FloatTensor input, SymInt[]? output_size, "
             "bool align_corners, float[]? scale_factors) -> Tensor");

}  // namespace
}  // namespace highwater
