// Tensors that are made from numbers alone.
#include "wgsl/fill.h"

#include <algorithm>

#include "graph/op.h"
#include "ops/map/live_number.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// Runs over y with numbers in its own dtype.
class FillStep {
 public:
  FillStep(Args& a, Tensor y, std::string_view variant)
      : y_(y),
        step_(a.step<wgsl::fill>({y}, {{"T_NAME", is_float(a.dtype(y)) ? "float" : "int"}},
                                 variant)) {}

  void plan(const Dims& y, double start, double step, Plan& plan) const {
    plan.resize(y_, y);
    plan.run(step_,
             {.quads = quads_of(y.numel()),
              .start_float = narrow_to_float(start),
              .step_float = narrow_to_float(step),
              .start_int = narrow_to_int(start),
              .step_int = narrow_to_int(step)},
             Grid::quads(y.numel()));
  }

 private:
  Tensor y_;
  Step<wgsl::fill> step_;
};

// One row an op: which number fills y. Its dims are those of `self`, or listed in `size`.
struct Row {
  OpRow op;
  std::string_view value_name;  // the argument; empty: `value`
  double value = 0;
};

constexpr Row kRows[] = {
    {"aten.full.default(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
     "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
     "fill_value"},
    {"aten.full_like.default(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, "
     "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
     "MemoryFormat? memory_format=None) -> Tensor",
     "fill_value"},
    {"aten.zeros.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
     "Device? device=None, bool? pin_memory=None) -> Tensor",
     "", 0},
    {"aten.zeros_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
     "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
     "", 0},
    {"aten.ones.default(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
     "Device? device=None, bool? pin_memory=None) -> Tensor",
     "", 1},
    {"aten.ones_like.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
     "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
     "", 1},
    {"aten.scalar_tensor.default(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, "
     "Device? device=None, bool? pin_memory=None) -> Tensor",
     "s"},
};

class Fill final : public Op {
 public:
  explicit Fill(Args& a) : Fill(a, row_of(kRows, a.op())) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims y;
    if (like_) {
      y = s[*like_];
    } else {
      for (const LiveInt& size : sizes_) {
        if (s[size] < 0) return fail("a size of ", s[size]);
        y.push_back(s[size]);
      }
    }
    const double value = value_.at(s);
    // Any number but zero is true, however small.
    step_.plan(y, is_bool_ && value != 0 ? 1.0 : value, 0, plan);
    return {};
  }

 private:
  Fill(Args& a, const Row& row)
      : value_(row.value_name.empty() ? LiveNumber(row.value) : LiveNumber(a, row.value_name)),
        y_(a.out()),
        is_bool_(a.dtype(y_) == DType::Bool),
        step_(a, y_, "constant") {
    if (a.takes("self")) like_ = a.tensor("self");
    if (a.takes("size")) sizes_ = a.live_integers("size");
    a.require(sizes_.size() <= Dims::kMaxRank, "a tensor of rank ", sizes_.size());
  }

  LiveNumber value_;
  Tensor y_;
  bool is_bool_;
  FillStep step_;
  std::optional<Tensor> like_;
  LiveInts sizes_;
};

class Arange final : public Op {
 public:
  explicit Arange(Args& a)
      : start_(a, "start"),
        end_(a, "end"),
        by_(a, "step"),
        y_(a.out()),
        is_int_(!is_float(a.dtype(y_))),
        step_(a, y_, "arange") {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const double start = start_.at(s), end = end_.at(s), by = by_.at(s);
    if (by == 0) return fail("a step of 0");
    if ((end - start) * by < 0) return fail("from ", start, " to ", end, " in steps of ", by);
    const double count = std::ceil((end - start) / by);
    const double last = start + by * std::max(count - 1, 0.0);
    const auto fits = [](double number) {
      return number >= std::numeric_limits<int32_t>::min() &&
             number <= std::numeric_limits<int32_t>::max();
    };
    if (!fits(count) || (is_int_ && !(fits(start) && fits(last)))) {
      return fail("from ", start, " to ", end, " in steps of ", by, " is too far");
    }
    step_.plan({static_cast<int64_t>(count)}, start, by, plan);
    return {};
  }

 private:
  LiveNumber start_;
  LiveNumber end_;
  LiveNumber by_;
  Tensor y_;
  bool is_int_;
  FillStep step_;
};

HIGHWATER_OPS(Fill, kRows);
HIGHWATER_OP(Arange,
             "aten.arange.start_step(Scalar start, Scalar end, Scalar step=1, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor");

}  // namespace
}  // namespace highwater
