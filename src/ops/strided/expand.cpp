// Ops that repeat or mirror what is there.
#include <optional>

#include "ops/strided/strided_copy.h"

namespace highwater {
namespace {

// (x, size, implicit, y): -1 keeps a dim.
class Expand final : public Op {
 public:
  explicit Expand(Args& a) : x_(a.tensor(0)), size_(a.live_integers(1)), y_(a.out(a.last())) {
    a.require(size_.size() >= a.bound(x_).rank() && size_.size() <= Dims::kMaxRank,
              "expanding rank ", a.bound(x_).rank(), " to rank ", size_.size());
    // Where even the largest output is no larger than the input, nothing repeats.
    const bool repeats = a.bound(y_).numel() != a.bound(x_).numel();
    if (repeats || !a.alias(y_, x_)) copy_ = StridedCopy(a, y_, x_, "expand");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const size_t lead = size_.size() - x.rank();
    Dims y, strides;
    const Dims x_strides = x.strides();
    for (size_t i = 0; i < size_.size(); ++i) {
      const int64_t wanted = s[size_[i]];
      const int64_t have = i < lead ? 1 : x[i - lead];
      const int64_t d = wanted == -1 && i >= lead ? have : wanted;
      const bool stretches = i < lead || s.bound(x_)[i - lead] == 1;
      if (d < 0 || (have != d && !(stretches && have == 1))) {
        return fail("dim ", i, " of ", x, " cannot expand to ", wanted);
      }
      y.push_back(d);
      strides.push_back(have == 1 && d != 1 ? 0 : (i < lead ? 0 : x_strides[i - lead]));
    }
    if (copy_) return copy_->plan(y, strides, 0, plan);
    if (y.numel() != x.numel()) return fail("dims ", x, " cannot expand to ", y);
    plan.resize(y_, y);
    return {};
  }

 private:
  Tensor x_;
  LiveInts size_;
  Tensor y_;
  std::optional<StridedCopy> copy_;
};

// (x, times, y): whole copies of x side by side.
class Repeat final : public Op {
 public:
  explicit Repeat(Args& a)
      : x_(a.tensor(0)), times_(a.live_integers(1)), y_(a.out(2)), copy_(a, y_, x_, "repeat") {
    a.require(times_.size() >= a.bound(x_).rank() && times_.size() <= Dims::kMaxRank,
              "repeating rank ", a.bound(x_).rank(), " along ", times_.size(), " dims");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Dims x_strides = x.strides();
    const size_t lead = times_.size() - x.rank();
    Dims y;
    StridedLoop<1> loop;
    for (size_t i = 0; i < times_.size(); ++i) {
      const int64_t times = s[times_[i]];
      const int64_t have = i < lead ? 1 : x[i - lead];
      const auto repeated = checked_mul(times, have);
      if (times < 0 || !repeated) return fail("repeating dim ", i, " of ", x, " ", times, " times");
      y.push_back(*repeated);
      loop.add_dim(times, {0});
      loop.add_dim(have, {i < lead ? 0 : x_strides[i - lead]});
    }
    return copy_.plan(y, loop, 0, plan);
  }

 private:
  Tensor x_;
  LiveInts times_;
  Tensor y_;
  StridedCopy copy_;
};

// (x, dims, y): each of the dims runs backwards.
class Flip final : public Op {
 public:
  explicit Flip(Args& a) : x_(a.tensor(0)), y_(a.out(2)), copy_(a, y_, x_, "flip") {
    for (int64_t dim : a.integers(1)) {
      const auto at = wrap_dim(dim, a.bound(x_).rank());
      a.require(at.ok(), "dim ", dim, " of ", a.bound(x_));
      if (at) flips_[*at] = true;
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    Dims strides = x.strides();
    int64_t offset = 0;
    for (size_t i = 0; i < x.rank(); ++i) {
      if (!flips_[i] || x[i] == 0) continue;
      offset += (x[i] - 1) * strides[i];
      strides[i] = -strides[i];
    }
    return copy_.plan(x, strides, offset, plan);
  }

 private:
  Tensor x_;
  Tensor y_;
  std::array<bool, Dims::kMaxRank> flips_{};
  StridedCopy copy_;
};

HIGHWATER_OP(Expand, "aten.expand_copy.default");
HIGHWATER_OP(Repeat, "aten.repeat.default");
HIGHWATER_OP(Flip, "aten.flip.default");

}  // namespace
}  // namespace highwater
