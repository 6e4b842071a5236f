#include <algorithm>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

// Whether it has one size, because it is a constant or computed from such alone in a few steps.
// Rows that are whole quads at their bound need not be at a live width.
bool is_fixed(const Rewriter& r, ValueId id, int steps = 4) {
  if (std::holds_alternative<SymInt>(r.value(id)) || steps < 0) return false;
  if (!r.is_tensor(id)) return !std::holds_alternative<ValueList>(r.value(id));
  if (r.tensor(id).constant) return true;
  const auto made = r.producer(id);
  if (!made) return false;
  const std::vector<ValueId>& args = r.call(*made).args;  // of which the last is the result
  return std::all_of(args.begin(), args.end() - 1,
                     [&](ValueId arg) { return is_fixed(r, arg, steps - 1); });
}

}  // namespace

void fuse_add_rms_norm(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (!r.is(i, "et_vk.rms_norm.default", 4)) continue;
    const std::vector<ValueId> norm = r.call(i).args;  // (x, w, eps, y)
    const auto add = r.producer(norm[0], "aten.add.Tensor", 4);
    if (!add) continue;
    const std::vector<ValueId> sum = r.call(*add).args;  // (a, b, alpha, x)
    if (r.number(sum[2]) != 1) continue;
    const TensorDecl &a = r.tensor(sum[0]), &b = r.tensor(sum[1]), &x = r.tensor(norm[0]),
                     &w = r.tensor(norm[1]);
    const bool plain = a.dims == x.dims && b.dims == x.dims && !x.dims.empty() &&
                       x.dims.back() % 4 == 0 && w.dims.rank() == 1 &&
                       w.dims.back() == x.dims.back() && is_float(a.dtype) && is_float(b.dtype);
    const auto w_made = r.producer(norm[1]);
    if (!plain || !is_fixed(r, norm[1]) || (w_made && *w_made > *add)) continue;
    // In place of the sum, so that all its readers still come after it.
    const ValueId outs = r.add_value(ValueList{{norm[0], norm[3]}});
    r.remove(i);
    r.replace(*add, "hw.add_rms_norm", {sum[0], sum[1], norm[1], norm[2], outs}, {});
  }
}

}  // namespace highwater
