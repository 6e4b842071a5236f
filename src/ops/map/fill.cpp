// Tensors that are made from numbers alone.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/map/map.h"

namespace highwater {
namespace {

// One row an op: which number fills y. Its dims are those of `self`, or listed in `size`.
struct FillRow {
  OpRow op;
  std::string_view value_name;  // the argument; empty: `value`
  double value = 0;
};

constexpr FillRow kFills[] = {
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
  explicit Fill(Args& a) : y_(a.out()) {
    const FillRow& row = row_of(kFills, a.op());
    LiveNumber value =
        row.value_name.empty() ? LiveNumber(row.value) : LiveNumber(a, row.value_name);
    // Any number but zero is true, however small.
    if (a.dtype(y_) == DType::Bool && !value.is_integer()) value = LiveNumber(1);
    map_ = Map(a, {.y = y_,
                   .numbers = {value},
                   .on_float = is_float(a.dtype(y_)),
                   .expression = "p",
                   .variant = "constant"});
    if (a.takes("self")) like_ = a.tensor("self");
    if (a.takes("size")) sizes_ = a.live_integers("size");
    a.require(sizes_.size() <= Dims::kMaxRank, "a tensor of rank ", sizes_.size());
  }

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
    map_.plan(s, y, plan);
    return {};
  }

 private:
  Tensor y_;
  Map map_;
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
        map_(a, {.y = y_,
                 .numbers = {start_, by_},
                 .on_float = !is_int_,
                 .expression = "p + q * i",
                 .variant = "arange"}) {}

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
    map_.plan(s, {static_cast<int64_t>(count)}, plan);
    return {};
  }

 private:
  LiveNumber start_;
  LiveNumber end_;
  LiveNumber by_;
  Tensor y_;
  bool is_int_;
  Map map_;
};

HIGHWATER_OPS(Fill, kFills);
HIGHWATER_OP(Arange,
             "aten.arange.start_step(Scalar start, Scalar end, Scalar step=1, *, "
             "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
             "bool? pin_memory=None) -> Tensor");

}  // namespace
}  // namespace highwater
