#include "wgsl/window/pool.h"

#include <limits>

#include "ops/fold/row_steps.h"
#include "ops/narrow.h"
#include "ops/window/window.h"
#include "wgsl/window/pool_max.h"
#include "wgsl/window/pool_mean.h"

namespace highwater {
namespace {

class Pool final : public Op {
 public:
  explicit Pool(Args& a) : x_(a.tensor("self")), is_max_(a.op() != "aten.avg_pool2d.default") {
    const bool has_place = a.op() == "aten.max_pool2d_with_indices.default";
    const std::vector<Tensor> ys = has_place ? a.outs() : std::vector{a.out()};
    y_ = ys[0];
    if (has_place) {
      place_ = ys[1];
      a.require(a.dtype(*place_) == DType::Int32, "its places are ", a.dtype(*place_));
    }
    read_window(a);
    if (!is_max_) read_divisor(a);
    on_float_ = is_float(a.dtype(y_));
    const std::string_view bits_of_nan =
        "(bitcast<vec4<u32>>(v) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u)";
    steps_ = RowSteps<wgsl::window::pool>(
        a,
        {.bindings = place_ ? std::vector{y_, *place_, x_} : std::vector{y_, x_},
         .substitutions = {{"FOLD", std::string(is_max_ ? wgsl::window::pool_max::kSource.text
                                                        : wgsl::window::pool_mean::kSource.text)},
                           {"PLACES", place_ ? "1" : "0"},
                           {"IS_NAN", std::string(on_float_ ? bits_of_nan : "vec4<bool>()")}},
         .variant = is_max_ ? "max" : "mean",
         // Smaller windows have many neighbours, which keep a GPU busy.
         .share_from = 4 * Grid::kWorkgroupSize},
        walk());
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const size_t rank = x.rank();
    if ((rank != 3 && rank != 4) || x.product(rank - 3, rank) == 0) {
      return fail("an input of dims ", x, "; wanted are channels, a height and a width");
    }
    Dims y = x;
    HW_TRY(y[rank - 2], window_.output_size(window_.y, x[rank - 2]));
    HW_TRY(y[rank - 1], window_.output_size(window_.x, x[rank - 1]));
    plan.resize(y_, y);
    if (place_) plan.resize(*place_, y);
    steps_.plan(walk(), quads_of(y.numel()), params_for(x, y), plan);
    return {};
  }

 private:
  void read_window(Args& a) {
    window_ = Window::read(a);
    window_.partial = a.flag("ceil_mode");
    for (const WindowDim& d : {window_.y, window_.x}) {
      a.require(d.padding <= d.taps / 2, "a padding of ", d.padding, " for a window of ", d.taps);
    }
    a.require(window_.taps() <= std::numeric_limits<int32_t>::max(), "a window of ", window_.y.taps,
              " by ", window_.x.taps);
  }

  void read_divisor(Args& a) {
    counts_padding_ = a.flag("count_include_pad");
    if (a.is_null("divisor_override")) return;
    const int64_t divisor = a.integer("divisor_override");
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    a.require(divisor != 0 && divisor >= -kMost && divisor <= kMost, "a divisor of ", divisor);
    divisor_ = static_cast<int32_t>(divisor);
  }

  Walk walk() const { return Walk::of(window_.taps(), window_.taps()); }

  wgsl::window::pool::Params params_for(const Dims& x, const Dims& y) const {
    const auto i32 = [](int64_t n) { return static_cast<int32_t>(n); };
    const size_t rank = x.rank();
    const WindowDim &h = window_.y, &w = window_.x;
    return {.quads = quads_of(y.numel()),
            .numel = u32(y.numel()),
            .x_height = i32(x[rank - 2]),
            .x_width = i32(x[rank - 1]),
            .y_height = u32(y[rank - 2]),
            .y_width = u32(y[rank - 1]),
            .counts_padding = counts_padding_,
            .divisor = divisor_,
            .lowest = narrow_to_bits(-std::numeric_limits<double>::infinity(), on_float_),
            .window = {i32(h.taps), i32(w.taps), i32(h.dilation), i32(w.dilation)},
            .grid = {i32(h.stride), i32(w.stride), i32(h.padding), i32(w.padding)}};
  }

  Tensor x_;
  bool is_max_;
  bool on_float_ = true;
  Tensor y_;
  std::optional<Tensor> place_;
  Window window_;
  bool counts_padding_ = false;
  int32_t divisor_ = 0;
  RowSteps<wgsl::window::pool> steps_;
};

HIGHWATER_OP(
    Pool,
    "aten.max_pool2d_with_indices.default(Tensor self, int[2] kernel_size, int[2] stride=[], "
    "int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    "aten.max_pool2d.default(Tensor self, int[2] kernel_size, int[2] stride=[], "
    "int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
    "aten.avg_pool2d.default(Tensor self, int[2] kernel_size, int[2] stride=[], "
    "int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, "
    "int? divisor_override=None) -> Tensor");

}  // namespace
}  // namespace highwater
