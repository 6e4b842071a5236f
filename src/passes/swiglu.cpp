#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

void fuse_swiglu(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (!r.is(i, "aten.mul.Tensor", 3)) continue;
    // The product g * sigmoid(g) may be either factor of the other.
    for (size_t side : {0, 1}) {
      const ValueId gated = r.call(i).args[side], u = r.call(i).args[1 - side];
      const auto inner = r.producer(gated, "aten.mul.Tensor", 3);
      if (!inner || r.uses(gated) != 1) continue;
      const ValueId a = r.call(*inner).args[0], b = r.call(*inner).args[1];
      const auto match = [&](ValueId g, ValueId s) {
        const auto sigmoid = r.producer(s, "aten.sigmoid.default", 2);
        if (!sigmoid || r.uses(s) != 1 || r.call(*sigmoid).args[0] != g) return false;
        const ValueId y = r.call(i).args.back();
        // No broadcasting, no integers: the fused op works on floats of equal dims.
        const TensorDecl &tg = r.tensor(g), &tu = r.tensor(u), &ty = r.tensor(y);
        if (!(tg.dims == ty.dims) || !(tu.dims == ty.dims)) return false;
        if (!is_float(tg.dtype) || !is_float(tu.dtype)) return false;
        r.replace(i, "hw.swiglu", {g, u, y}, {*inner, *sigmoid});
        return true;
      };
      if (match(a, b) || match(b, a)) break;
    }
  }
}

}  // namespace highwater
