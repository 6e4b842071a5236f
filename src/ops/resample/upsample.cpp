#include "wgsl/resample/upsample.h"

#include <array>
#include <cmath>
#include <limits>

#include "graph/op.h"

namespace highwater {
namespace {

// Another height and width, given as sizes or as factors.
class Upsample final : public Op {
 public:
  explicit Upsample(Args& a)
      : x_(a.tensor("input")),
        is_linear_(a.op() == "aten.upsample_bilinear2d.vec"),
        aligns_corners_(is_linear_ && a.flag("align_corners")),
        y_(a.out()),
        step_(a.step<wgsl::resample::upsample>(
            {y_, x_}, {{"NEAREST", "floor"}, {"INTERPOLATE", is_linear_ ? "linear" : "nearest"}},
            is_linear_ ? "linear" : "nearest")) {
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
              .offset = is_linear_ && !aligns_corners_ ? 0.5f : 0.0f},
             Grid::quads(y.numel()));
    return {};
  }

 private:
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
  // nearest, torch goes by the size.
  float scale_of(size_t i, int64_t x, int64_t y) const {
    if (aligns_corners_) {
      return y > 1 ? static_cast<float>(x - 1) / static_cast<float>(y - 1) : 0.0f;
    }
    if (x == y) return 1.0f;
    if (!is_linear_ && y == 2 * x) return 0.5f;
    if (!factors_.empty()) return static_cast<float>(1.0 / factors_[i]);
    return static_cast<float>(x) / static_cast<float>(y);
  }

  Tensor x_;
  bool is_linear_;
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
             "bool align_corners, float[]? scale_factors) -> Tensor");

}  // namespace
}  // namespace highwater
