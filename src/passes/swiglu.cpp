#include "passes/passes.h"
#include "passes/q4_linear.h"

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
        const TensorDecl *tg = r.tensor(g), *tu = r.tensor(u), *ty = r.tensor(y);
        if (!tg || !tu || !ty || !(tg->dims == ty->dims) || !(tu->dims == ty->dims)) return false;
        if (!is_float(tg->dtype) || !is_float(tu->dtype)) return false;
        r.replace(i, "hw.swiglu", {g, u, y}, {*inner, *sigmoid});
        return true;
      };
      if (match(a, b) || match(b, a)) break;
    }
  }
}

void fuse_linear_swiglu(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (!r.is(i, "hw.swiglu", 3)) continue;
    const ValueId g_view = r.call(i).args[0], u_view = r.call(i).args[1], y = r.call(i).args[2];
    const ValueId g = r.behind_views(g_view), u = r.behind_views(u_view);
    const auto gate_call = r.producer(g), up_call = r.producer(u);
    if (!gate_call || !up_call || *gate_call == *up_call) continue;
    const auto gate = as_q4_linear(r, *gate_call), up = as_q4_linear(r, *up_call);
    if (!gate || !up || gate->x != up->x || gate->group != up->group) continue;
    const bool read_once = r.is_read_once(g_view) && r.is_read_once(u_view);
    if (!read_once || !(r.tensor(g)->dims == r.tensor(y)->dims)) continue;
    const auto w = concatenate(program, {gate->w, up->w}, 0);
    const auto scales = concatenate(program, {gate->scales, up->scales}, 1);
    if (!w || !scales) continue;
    const ValueId w_id = r.add_value(*w), scales_id = r.add_value(*scales);
    r.replace(i, "hw.linear_q4gsw.swiglu", {gate->x, w_id, scales_id, gate->group, y}, {});
    r.remove_unused();
    r.remove(*gate_call);
    r.remove(*up_call);
  }
}

}  // namespace highwater
