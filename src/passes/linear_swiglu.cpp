#include <algorithm>

#include "passes/linear_layer.h"
#include "passes/passes.h"

namespace highwater {
namespace {

struct GatedLayers {
  size_t gate_call, up_call;
  std::vector<LinearLayer> both;  // the gate first

  const LinearLayer& gate() const { return both[0]; }
  std::string op() const { return text(gate().joined, ".swiglu"); }
};

std::optional<GatedLayers> as_gated_layers(const Rewriter& r, ValueId g, ValueId u) {
  const auto gate_call = r.producer(g), up_call = r.producer(u);
  if (!gate_call || !up_call || *gate_call == *up_call) return {};
  const auto gate = as_linear_layer(r, *gate_call), up = as_linear_layer(r, *up_call);
  if (!gate || !up || gate->kind() != up->kind()) return {};
  return GatedLayers{*gate_call, *up_call, {*gate, *up}};
}

// The gate reads the layers themselves, or views of all their dims.
bool fuse_in_place(Rewriter& r, const FullCall& swiglu) {
  const ValueId g_view = swiglu["gate"], u_view = swiglu["u"];
  const auto layers = as_gated_layers(r, r.behind_views(g_view), r.behind_views(u_view));
  if (!layers || !r.is_read_once(g_view) || !r.is_read_once(u_view)) return false;
  if (!(r.tensor(layers->gate().y).dims == r.tensor(swiglu.out()).dims)) return false;
  const auto arguments = join_layers(r, layers->both);
  if (!arguments) return false;
  r.replace(swiglu.index(), layers->op(), *arguments, swiglu.out());
  r.remove_unused(g_view);
  r.remove_unused(u_view);
  r.remove(layers->gate_call);
  r.remove(layers->up_call);
  return true;
}

// The gate reads equal views of both: the view comes after the gate as well as before it.
bool fuse_before_view(Rewriter& r, const FullCall& swiglu) {
  constexpr std::string_view kView = "aten.view_copy.default";
  const auto g = r.producer(swiglu["gate"], kView), u = r.producer(swiglu["u"], kView);
  if (!g || !u || g->index() == u->index()) return false;
  const ValueId g_layer = (*g)["self"], u_layer = (*u)["self"], sizes = (*g)["size"];
  if (r.identity(sizes) != r.identity((*u)["size"])) return false;
  const auto layers = as_gated_layers(r, g_layer, u_layer);
  for (ValueId id : {g->out(), u->out(), g_layer, u_layer}) {
    if (!layers || r.uses(id) != 1) return false;
  }
  TensorDecl gated = r.tensor(swiglu.out());
  gated.dims = r.tensor(g_layer).dims;
  if (!(r.tensor(u_layer).dims == gated.dims)) return false;
  const auto arguments = join_layers(r, layers->both);
  if (!arguments) return false;
  const ValueId before_view = r.add_value(gated);
  r.replace(std::max(layers->gate_call, layers->up_call), layers->op(), *arguments, before_view);
  r.remove(std::min(layers->gate_call, layers->up_call));
  r.remove(g->index());
  r.remove(u->index());
  r.replace(swiglu.index(), kView, {{"self", before_view}, {"size", sizes}}, swiglu.out());
  return true;
}

}  // namespace

void fuse_linear_swiglu(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto swiglu = r.call(i, "hw.swiglu");
    if (swiglu && !fuse_in_place(r, *swiglu)) fuse_before_view(r, *swiglu);
  }
}

}  // namespace highwater
