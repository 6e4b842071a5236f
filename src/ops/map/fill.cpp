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

// One row an op: where it takes y's dims from, and which number fills it.
struct Row {
  enum class Dims { Listed, OfTensor, None };
  std::string_view name;
  Dims dims;
  int value_argument;  // -1: `value`
  double value = 0;
};

constexpr Row kRows[] = {
    {"aten.full.default", Row::Dims::Listed, 1},
    {"aten.full_like.default", Row::Dims::OfTensor, 1},
    {"aten.zeros.default", Row::Dims::Listed, -1, 0},
    {"aten.zeros_like.default", Row::Dims::OfTensor, -1, 0},
    {"aten.ones.default", Row::Dims::Listed, -1, 1},
    {"aten.ones_like.default", Row::Dims::OfTensor, -1, 1},
    {"aten.scalar_tensor.default", Row::Dims::None, 0},
};

const Row& row_of(std::string_view op) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const Row& r) { return r.name == op; });
}

class Fill final : public Op {
 public:
  explicit Fill(Args& a) : Fill(a, row_of(a.op())) {}

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
      : value_(row.value_argument < 0 ? LiveNumber(row.value)
                                      : LiveNumber(a, static_cast<size_t>(row.value_argument))),
        y_(a.out(a.last())),
        is_bool_(a.dtype(y_) == DType::Bool),
        step_(a, y_, "constant") {
    if (row.dims == Row::Dims::OfTensor) like_ = a.tensor(0);
    if (row.dims == Row::Dims::Listed) sizes_ = a.live_integers(0);
    a.require(sizes_.size() <= Dims::kMaxRank, "a tensor of rank ", sizes_.size());
  }

  LiveNumber value_;
  Tensor y_;
  bool is_bool_;
  FillStep step_;
  std::optional<Tensor> like_;
  LiveInts sizes_;
};

// (start, end, step, …, y)
class Arange final : public Op {
 public:
  explicit Arange(Args& a)
      : start_(a, 0),
        end_(a, 1),
        by_(a.size() > 3 && !a.is_null(2) ? LiveNumber(a, 2) : LiveNumber(1)),
        y_(a.out(a.last())),
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

HIGHWATER_OP(Fill, "aten.full.default", "aten.full_like.default", "aten.zeros.default",
             "aten.zeros_like.default", "aten.ones.default", "aten.ones_like.default",
             "aten.scalar_tensor.default");
HIGHWATER_OP(Arange, "aten.arange.start_step");

}  // namespace
}  // namespace highwater
