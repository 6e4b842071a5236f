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
bool fuse_in_place(Rewriter& r, size_t i) {
  const ValueId g_view = r.call(i).args[0], u_view = r.call(i).args[1], y = r.call(i).args[2];
  const auto layers = as_gated_layers(r, r.behind_views(g_view), r.behind_views(u_view));
  if (!layers || !r.is_read_once(g_view) || !r.is_read_once(u_view)) return false;
  if (!(r.tensor(layers->gate().y).dims == r.tensor(y).dims)) return false;
  auto args = join_layers(r, layers->both);
  if (!args) return false;
  args->push_back(y);
  r.replace(i, layers->op(), *args, {});
  r.remove_unused(g_view);
  r.remove_unused(u_view);
  r.remove(layers->gate_call);
  r.remove(layers->up_call);
  return true;
}

// The gate reads equal views of both: the view comes after the gate as well as before it.
bool fuse_before_view(Rewriter& r, size_t i) {
  constexpr std::string_view kView = "aten.view_copy.default";
  const ValueId g_view = r.call(i).args[0], u_view = r.call(i).args[1], y = r.call(i).args[2];
  const auto g_call = r.producer(g_view, kView, 3), u_call = r.producer(u_view, kView, 3);
  if (!g_call || !u_call || g_call == u_call) return false;
  const std::vector<ValueId> g = r.call(*g_call).args, u = r.call(*u_call).args;
  if (r.identity(g[1]) != r.identity(u[1])) return false;
  const auto layers = as_gated_layers(r, g[0], u[0]);
  for (ValueId id : {g_view, u_view, g[0], u[0]}) {
    if (!layers || r.uses(id) != 1) return false;
  }
  TensorDecl gated = r.tensor(y);
  gated.dims = r.tensor(g[0]).dims;
  if (!(r.tensor(u[0]).dims == gated.dims)) return false;
  auto args = join_layers(r, layers->both);
  if (!args) return false;
  const ValueId before_view = r.add_value(gated);
  args->push_back(before_view);
  r.replace(std::max(layers->gate_call, layers->up_call), layers->op(), *args, {});
  r.remove(std::min(layers->gate_call, layers->up_call));
  r.replace(i, kView, {before_view, g[1], y}, {*g_call, *u_call});
  return true;
}

}  // namespace

void fuse_linear_swiglu(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (r.is(i, "hw.swiglu", 3) && !fuse_in_place(r, i)) fuse_before_view(r, i);
  }
}

}  // namespace highwater
