#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

namespace {

// g and u, if the product is of u and g * sigmoid(g), which nothing else reads.
struct Gated {
  ValueId g, u;
  size_t product, sigmoid;
};

std::optional<Gated> as_gated(const Rewriter& r, ValueId gated, ValueId u) {
  const auto product = r.producer(gated, "aten.mul.Tensor");
  if (!product || r.uses(gated) != 1) return {};
  const ValueId a = (*product)["self"], b = (*product)["other"];
  for (const auto& [g, s] : {std::pair(a, b), std::pair(b, a)}) {
    const auto sigmoid = r.producer(s, "aten.sigmoid.default");
    if (sigmoid && r.uses(s) == 1 && (*sigmoid)["self"] == g) {
      return Gated{g, u, product->index(), sigmoid->index()};
    }
  }
  return {};
}

// No broadcasting, no integers: the fused op works on floats of equal dims.
bool is_plain(const Rewriter& r, const Gated& gated, ValueId y) {
  const TensorDecl &tg = r.tensor(gated.g), &tu = r.tensor(gated.u), &ty = r.tensor(y);
  return tg.dims == ty.dims && tu.dims == ty.dims && is_float(tg.dtype) && is_float(tu.dtype);
}

}  // namespace

void fuse_swiglu(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto mul = r.call(i, "aten.mul.Tensor");
    if (!mul) continue;
    // Either factor may be the gated one.
    auto gated = as_gated(r, (*mul)["self"], (*mul)["other"]);
    if (!gated || !is_plain(r, *gated, mul->out())) {
      gated = as_gated(r, (*mul)["other"], (*mul)["self"]);
    }
    if (!gated || !is_plain(r, *gated, mul->out())) continue;
    r.remove(gated->product);
    r.remove(gated->sigmoid);
    r.replace(i, "hw.swiglu", {{"gate", gated->g}, {"u", gated->u}}, mul->out());
  }
}

}  // namespace highwater
