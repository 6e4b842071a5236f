#include <map>

#include "passes/linear_layer.h"
#include "passes/passes.h"

namespace highwater {

void share_linear_inputs(Program& program) {
  // As many as a kernel has room to write.
  constexpr size_t kMost = 3;
  struct Members {
    std::vector<size_t> calls;
    std::vector<LinearLayer> layers;
  };
  Rewriter r(program);
  std::map<LinearLayer::Kind, Members> by_kind;
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (const auto layer = as_linear_layer(r, i)) {
      Members& members = by_kind[layer->kind()];
      members.calls.push_back(i);
      members.layers.push_back(*layer);
    }
  }
  for (const auto& [kind, members] : by_kind) {
    for (size_t first = 0; first + 1 < members.calls.size(); first += kMost) {
      const size_t count = std::min(kMost, members.calls.size() - first);
      const auto layers = std::span(members.layers).subspan(first, count);
      const auto arguments = join_layers(r, layers);
      if (!arguments) continue;
      ValueList ys;
      for (const LinearLayer& layer : layers) ys.items.push_back(layer.y);
      // In place of the first: all that they read is there by then.
      for (size_t k = 1; k < count; ++k) r.remove(members.calls[first + k]);
      r.replace(members.calls[first], text(layers.front().joined, ".shared"), *arguments,
                r.add_value(std::move(ys)));
    }
  }
}

}  // namespace highwater
