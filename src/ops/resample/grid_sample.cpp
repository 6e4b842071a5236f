#include "wgsl/resample/grid_sample.h"

#include <array>

#include "graph/op.h"

namespace highwater {
namespace {

// By torch's numbers of the modes.
constexpr std::array<std::string_view, 3> kInterpolations = {"linear(plane, settled(at, size))",
                                                             "nearest(plane, settled(at, size))",
                                                             "cubic(plane, at, size)"};
constexpr std::array<std::string_view, 3> kPaddings = {"at", "clipped(at, size)",
                                                       "reflected(at, size)"};

class GridSample final : public Op {
 public:
  explicit GridSample(Args& a) : x_(a.tensor("input")), grid_(a.tensor("grid")), y_(a.out()) {
    const int64_t interpolation = a.integer("interpolation_mode"),
                  padding = a.integer("padding_mode");
    const auto is_mode = [](int64_t mode) { return mode >= 0 && mode < 3; };
    a.require(is_mode(interpolation), "interpolation mode ", interpolation);
    a.require(is_mode(padding), "padding mode ", padding);
    if (!is_mode(interpolation) || !is_mode(padding)) return;
    const bool aligned = a.flag("align_corners");
    step_ = a.step<wgsl::resample::grid_sample>(
        {y_, x_, grid_},
        {{"NEAREST", "round"},
         {"UNNORMALIZED",
          aligned ? "(at + 1.0) / 2.0 * (size - 1.0)" : "((at + 1.0) * size - 1.0) / 2.0"},
         {"MIRROR", aligned ? "0.0" : "-0.5"},
         {"SETTLED", std::string(kPaddings[static_cast<size_t>(padding)])},
         {"INTERPOLATE", std::string(kInterpolations[static_cast<size_t>(interpolation)])}});
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &x = s[x_], &grid = s[grid_];
    const bool fits = x.rank() == 4 && grid.rank() == 4 && x[0] == grid[0] && grid[3] == 2;
    if (!fits) return fail("an input of dims ", x, " and a grid of dims ", grid);
    if (x[2] * x[3] == 0) return fail("an input of dims ", x, " has nothing to sample");
    const Dims y{x[0], x[1], grid[1], grid[2]};
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = quads_of(y.numel()),
              .numel = u32(y.numel()),
              .channels = u32(x[1]),
              .x_height = static_cast<int32_t>(x[2]),
              .x_width = static_cast<int32_t>(x[3]),
              .places = u32(grid[1] * grid[2])},
             Grid::quads(y.numel()));
    return {};
  }

 private:
  Tensor x_;
  Tensor grid_;
  Tensor y_;
  Step<wgsl::resample::grid_sample> step_;
};

HIGHWATER_OP(GridSample,
             "aten.grid_sampler_2d.default(FloatTensor input, FloatTensor grid, "
             "int interpolation_mode, int padding_mode, bool align_corners) -> Tensor");

}  // namespace
}  // namespace highwater
