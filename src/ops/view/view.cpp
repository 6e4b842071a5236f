// Ops that only rename dims. Their output is their input's memory.
#include "graph/op.h"
#include "ops/view/reshaped.h"

namespace highwater {
namespace {

// `size` may hold one -1, and live scalars.
class View final : public Op {
 public:
  explicit View(Args& a)
      : x_(a.tensor("self")),
        size_(a.live_integers(a.op() == "aten.reshape.default" ? "shape" : "size")),
        y_(a.out()),
        copy_(a, y_, x_) {
    a.require(size_.size() <= Dims::kMaxRank, "a view of rank ", size_.size());
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    Dims y;
    std::optional<size_t> inferred;
    int64_t known = 1;
    for (const LiveInt& entry : size_) {
      const int64_t d = s[entry];
      if (d == -1 && !inferred) {
        inferred = y.rank();
      } else if (d < 0) {
        return fail("size ", d, " at dim ", y.rank());
      } else if (const auto product = checked_mul(known, d)) {
        known = *product;
      } else {
        return fail("the sizes of the view overflow");
      }
      y.push_back(d);
    }
    if (inferred) {
      if (known == 0) return fail("-1 in ", y, " could stand for any size");
      y[*inferred] = x.numel() / known;
      known *= y[*inferred];
    }
    if (known != x.numel()) return fail("dims ", x, " cannot be viewed as ", y);
    return copy_.plan(s, y, plan);
  }

 private:
  Tensor x_;
  LiveInts size_;
  Tensor y_;
  Reshaped copy_;
};

class Unsqueeze final : public Op {
 public:
  explicit Unsqueeze(Args& a)
      : x_(a.tensor("self")), dim_(a.integer("dim")), y_(a.out()), copy_(a, y_, x_) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims y = s[x_];
    HW_TRY(const size_t at, wrap_dim(dim_, y.rank() + 1));
    if (y.rank() == Dims::kMaxRank) return fail("dims ", y, " have no room for one more");
    y.insert(at, 1);
    return copy_.plan(s, y, plan);
  }

 private:
  Tensor x_;
  int64_t dim_;
  Tensor y_;
  Reshaped copy_;
};

// Only dims whose bound is 1 go: one that is 1 just now must keep its place.
class Squeeze final : public Op {
 public:
  explicit Squeeze(Args& a) : x_(a.tensor("self")), y_(a.out()), copy_(a, y_, x_) {
    const Dims& bound = a.bound(x_);
    std::vector<int64_t> dims;
    if (a.op() == "aten.squeeze_copy.dim") {
      dims = {a.integer("dim")};
    } else if (a.op() == "aten.squeeze_copy.dims") {
      dims = a.integers("dim");
    } else {
      for (size_t i = 0; i < bound.rank(); ++i) dims.push_back(static_cast<int64_t>(i));
    }
    for (int64_t dim : dims) {
      const auto at = wrap_dim(dim, bound.rank());
      a.require(at.ok(), "dim ", dim, " of ", bound);
      if (at && *at < bound.rank() && bound[*at] == 1) goes_[*at] = true;
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    Dims y;
    for (size_t i = 0; i < x.rank(); ++i) {
      if (!goes_[i]) y.push_back(x[i]);
    }
    if (y.numel() != x.numel()) return fail("dims ", x, " cannot be squeezed to ", y);
    return copy_.plan(s, y, plan);
  }

 private:
  Tensor x_;
  Tensor y_;
  Reshaped copy_;
  std::array<bool, Dims::kMaxRank> goes_{};
};

HIGHWATER_OP(View, "aten.view_copy.default(Tensor self, SymInt[] size) -> Tensor",
             "aten.reshape.default(Tensor self, SymInt[] shape) -> Tensor",
             "aten._unsafe_view.default(Tensor self, SymInt[] size) -> Tensor");
HIGHWATER_OP(Unsqueeze, "aten.unsqueeze_copy.default(Tensor self, int dim) -> Tensor");
HIGHWATER_OP(Squeeze, "aten.squeeze_copy.dims(Tensor self, int[] dim) -> Tensor",
             "aten.squeeze_copy.dim(Tensor self, int dim) -> Tensor",
             "aten.squeeze_copy.default(Tensor self) -> Tensor");

}  // namespace
}  // namespace highwater
