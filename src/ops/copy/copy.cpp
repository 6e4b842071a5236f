#include <optional>

#include "ops/map/map.h"

namespace highwater {
namespace {

// The same elements under another name, and where y says so in another dtype. Layouts and dim
// orders that the exporter names have no meaning here: every tensor is contiguous.
class Copy final : public Op {
 public:
  explicit Copy(Args& a) : x_(a.tensor("self")), y_(a.out()) {
    const DType from = a.dtype(x_), to = a.dtype(y_);
    if (from == to && a.alias(y_, x_)) return;
    convert_ = Map(a, Mapped::copy(a, y_, x_, text(name(from), "_to_", name(to))));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    if (convert_) return convert_->plan(s, plan);
    plan.resize(y_, s[x_]);
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  std::optional<Map> convert_;
};

HIGHWATER_OP(Copy, "aten.clone.default(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
             "aten.alias_copy.default(Tensor self) -> Tensor",
             "aten.detach_copy.default(Tensor self) -> Tensor",
             "aten.lift_fresh_copy.default(Tensor self) -> Tensor",
             "aten._to_copy.default(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
             "Device? device=None, bool? pin_memory=None, bool non_blocking=False, "
             "MemoryFormat? memory_format=None) -> Tensor",
             "dim_order_ops._clone_dim_order.default(Tensor self, *, bool non_blocking=False, "
             "int[]? dim_order=None) -> Tensor",
             "dim_order_ops._to_dim_order_copy.default(Tensor self, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
             "bool non_blocking=False, int[]? dim_order=None) -> Tensor");

}  // namespace
}  // namespace highwater
