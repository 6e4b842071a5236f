#include <algorithm>
#include <limits>
#include <optional>

#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// Whether everything before `dim` has one element at most, so that a part of x that begins at its
// start lies together.
bool leads(const Dims& bound, size_t dim) {
  return bound.product(0, std::min(dim, bound.rank())) <= 1;
}

size_t checked_dim(Args& a, Tensor x, int64_t dim) {
  const auto at = wrap_dim(dim, a.bound(x).rank());
  a.require(at.ok() && !a.bound(x).empty(), "dim ", dim, " of ", a.bound(x));
  return at.ok() ? *at : 0;
}

bool is_literal(const LiveInt& i, int64_t value) {
  return !i.is_live() && i.literal == value;
}

// start and end clamp, and count from the end where negative.
class Slice final : public Op {
 public:
  explicit Slice(Args& a)
      : x_(a.tensor("self")),
        dim_(checked_dim(a, x_, a.integer("dim"))),
        start_(a.is_null("start") ? LiveInt{} : a.live_integer("start")),
        end_(a.is_null("end") ? LiveInt{std::numeric_limits<int64_t>::max()}
                              : a.live_integer("end")),
        step_(a.integer("step")),
        y_(a.out()) {
    a.require(step_ > 0, "a step of ", step_);
    const bool at_start = is_literal(start_, 0) && step_ == 1 && leads(a.bound(x_), dim_);
    if (!(at_start && a.alias(y_, x_))) copy_ = StridedCopy(a, y_, x_, "slice");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims y = s[x_];
    Dims strides = y.strides();
    const int64_t size = y[dim_];
    const int64_t start = clamp(s[start_], size);
    const int64_t end = std::max(clamp(s[end_], size), start);
    const int64_t offset = start * strides[dim_];
    // A step past the end takes the first alone, however long it is.
    const int64_t step = std::min(step_, std::max<int64_t>(size, 1));
    y[dim_] = ceil_div(end - start, step);
    strides[dim_] *= step;
    if (copy_) return copy_->plan(s, y, strides, offset, plan);
    plan.resize(y_, y);
    return {};
  }

 private:
  static int64_t clamp(int64_t at, int64_t size) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  }

  Tensor x_;
  size_t dim_;
  LiveInt start_;
  LiveInt end_;
  int64_t step_;
  Tensor y_;
  std::optional<StridedCopy> copy_;
};

class Select final : public Op {
 public:
  explicit Select(Args& a)
      : x_(a.tensor("self")),
        dim_(checked_dim(a, x_, a.integer("dim"))),
        index_(a.live_integer("index")),
        y_(a.out()) {
    const bool at_start = is_literal(index_, 0) && leads(a.bound(x_), dim_);
    if (!(at_start && a.alias(y_, x_))) copy_ = StridedCopy(a, y_, x_, "select");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims y = s[x_];
    Dims strides = y.strides();
    const int64_t size = y[dim_];
    const int64_t index = s[index_] < 0 ? s[index_] + size : s[index_];
    const bool in_range = index >= 0 && index < size;
    // With no elements to take there is nothing that the index could miss.
    const int64_t offset = in_range ? index * strides[dim_] : 0;
    y.erase(dim_);
    strides.erase(dim_);
    if (!in_range && (y.numel() > 0 && size > 0)) {
      return fail("index ", s[index_], " of dim ", dim_, ", which has ", size, " just now");
    }
    if (!in_range && size == 0 && y.numel() > 0) {
      return fail("index ", s[index_], " of dim ", dim_, ", which is empty just now");
    }
    if (copy_) return copy_->plan(s, y, strides, offset, plan);
    plan.resize(y_, y);
    return {};
  }

 private:
  Tensor x_;
  size_t dim_;
  LiveInt index_;
  Tensor y_;
  std::optional<StridedCopy> copy_;
};

class Split final : public Op {
 public:
  explicit Split(Args& a)
      : x_(a.tensor("self")),
        sizes_(a.live_integers("split_sizes")),
        dim_(checked_dim(a, x_, a.integer("dim"))),
        ys_(a.outs()) {
    a.require(sizes_.size() == ys_.size(), sizes_.size(), " sizes for ", ys_.size(), " outputs");
    for (Tensor y : ys_) copies_.emplace_back(a, y, x_, "split");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Dims strides = x.strides();
    int64_t start = 0;
    for (size_t i = 0; i < ys_.size(); ++i) {
      Dims y = x;
      y[dim_] = s[sizes_[i]];
      if (y[dim_] < 0 || y[dim_] > x[dim_] - start) {
        return fail("part ", i, " of size ", y[dim_], " at ", start, " of dims ", x);
      }
      HW_CHECK(copies_[i].plan(s, y, strides, start * strides[dim_], plan));
      start += y[dim_];
    }
    if (start != x[dim_]) return fail("its parts cover ", start, " of ", x[dim_]);
    return {};
  }

 private:
  Tensor x_;
  LiveInts sizes_;
  size_t dim_;
  std::vector<Tensor> ys_;
  std::vector<StridedCopy> copies_;
};

HIGHWATER_OP(
    Slice, {"aten.slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, "
            "int step=1) -> Tensor",
            "no live step"});
HIGHWATER_OP(Select, "aten.select_copy.int(Tensor self, int dim, SymInt index) -> Tensor");
HIGHWATER_OP(Split,
             "aten.split_with_sizes_copy.default(Tensor self, SymInt[] split_sizes, int dim=0) -> "
             "Tensor[]");

}  // namespace
}  // namespace highwater
