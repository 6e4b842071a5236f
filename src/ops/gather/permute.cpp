#include <optional>

#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

class Permute final : public Op {
 public:
  explicit Permute(Args& a) : x_(a.tensor("self")), y_(a.out()) {
    const size_t rank = a.bound(x_).rank();
    if (a.op() == "aten.t_copy.default") {
      for (size_t i = rank; i-- > 0;) order_.push_back(static_cast<int64_t>(i));
    } else {
      for (int64_t dim : a.integers("dims")) {
        const auto at = wrap_dim(dim, rank);
        a.require(at.ok(), "dim ", dim, " of a tensor of rank ", rank);
        if (at) order_.push_back(static_cast<int64_t>(*at));
      }
    }
    a.require(is_permutation(rank), "its order does not name each of ", rank, " dims once");
    if (!(keeps_order(a.bound(x_)) && a.alias(y_, x_))) copy_ = StridedCopy(a, y_, x_, "permute");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Dims x_strides = x.strides();
    Dims dims, strides;
    for (int64_t from : order_) {
      dims.push_back(x[static_cast<size_t>(from)]);
      strides.push_back(x_strides[static_cast<size_t>(from)]);
    }
    if (copy_) return copy_->plan(s, dims, strides, 0, plan);
    plan.resize(y_, dims);
    return {};
  }

 private:
  bool is_permutation(size_t rank) const {
    std::array<bool, Dims::kMaxRank> seen{};
    for (int64_t from : order_) seen[static_cast<size_t>(from)] = true;
    size_t count = 0;
    for (bool s : seen) count += s;
    return order_.size() == rank && count == rank;
  }

  // Moving only dims that are always 1 leaves the elements where they are.
  bool keeps_order(const Dims& bound) const {
    int64_t last = -1;
    for (int64_t from : order_) {
      if (static_cast<size_t>(from) >= bound.rank() || bound[static_cast<size_t>(from)] == 1) {
        continue;
      }
      if (from < last) return false;
      last = from;
    }
    return true;
  }

  Tensor x_;
  Tensor y_;
  std::vector<int64_t> order_;
  std::optional<StridedCopy> copy_;
};

HIGHWATER_OP(Permute, "aten.permute_copy.default(Tensor self, int[] dims) -> Tensor",
             "aten.permute.default(Tensor self, int[] dims) -> Tensor",
             "aten.t_copy.default(Tensor self) -> Tensor");

}  // namespace
}  // namespace highwater
