#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

void fuse_add_rms_norm(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto norm = r.call(i, "et_vk.rms_norm.default");
    if (!norm) continue;
    const ValueId sum = (*norm)["x"], weight = (*norm)["weight"];
    const auto add = r.producer(sum, "aten.add.Tensor");
    if (!add || r.number((*add)["alpha"]) != 1) continue;
    const TensorDecl &a = r.tensor((*add)["self"]), &b = r.tensor((*add)["other"]),
                     &x = r.tensor(sum), &w = r.tensor(weight);
    const bool plain = a.dims == x.dims && b.dims == x.dims && !x.dims.empty() &&
                       x.dims.back() % 4 == 0 && w.dims.rank() == 1 &&
                       w.dims.back() == x.dims.back() && is_float(a.dtype) && is_float(b.dtype);
    const auto w_made = r.producer(weight);
    if (!plain || !r.is_fixed(weight) || (w_made && *w_made > add->index())) continue;
    // In place of the sum, so that all its readers still come after it.
    const ValueId outs = r.add_value(ValueList{{sum, norm->out()}});
    r.remove(i);
    r.replace(add->index(), "hw.add_rms_norm",
              {{"a", (*add)["self"]},
               {"b", (*add)["other"]},
               {"weight", weight},
               {"eps", (*norm)["eps"]}},
              outs);
  }
}

}  // namespace highwater
