#include "passes/linear_layer.h"
#include "passes/passes.h"

namespace highwater {
namespace {

// The layer that makes `y`, or what it is a view of, if nothing else reads that.
std::optional<FullCall> as_layer_of(const Rewriter& r, ValueId y) {
  const auto made = r.producer(r.behind_views(y));
  if (!made || !r.is_read_once(y)) return {};
  const auto layer = as_tiled_q4(r, *made);
  // It is computed where the sum was, and must not see what was written in between.
  for (std::string_view given : {"self", "weights", "weight_scales", "bias"}) {
    if (!layer || r.is_mutated((*layer)[given])) return {};
  }
  return layer;
}

bool fuse_residual(Rewriter& r, const FullCall& sum, ValueId y, ValueId residual) {
  const auto layer = as_layer_of(r, y);
  if (!layer || y == residual || r.is_mutated(residual)) return false;
  // What would be stretched has other dims at its bound.
  const TensorDecl &of = r.tensor(layer->out()), &added = r.tensor(residual),
                   &out = r.tensor(sum.out());
  const bool plain = of.dims == out.dims && added.dims == out.dims && of.dtype == out.dtype &&
                     added.dtype == out.dtype && is_float(out.dtype);
  if (!plain) return false;
  r.replace(sum.index(), "hw.linear_q4gsw.default",
            {{"self", (*layer)["self"]},
             {"weights", (*layer)["weights"]},
             {"weight_scales", (*layer)["weight_scales"]},
             {"group_size", (*layer)["group_size"]},
             {"bias", (*layer)["bias"]},
             {"residual", residual}},
            sum.out());
  r.remove_unused(y);
  r.remove(layer->index());
  return true;
}

}  // namespace

void fuse_linear_residual(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto sum = r.call(i, "aten.add.Tensor");
    if (!sum || r.number((*sum)["alpha"]) != 1) continue;
    const ValueId a = (*sum)["self"], b = (*sum)["other"];
    if (!fuse_residual(r, *sum, b, a)) fuse_residual(r, *sum, a, b);
  }
}

}  // namespace highwater
