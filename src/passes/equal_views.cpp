#include <map>
#include <tuple>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

void merge_equal_views(Program& program) {
  // What is viewed, the view's dtype and bound, and the sizes that it is given.
  using Key = std::tuple<ValueId, DType, std::vector<int64_t>, std::vector<int64_t>>;
  Rewriter r(program);
  std::map<Key, ValueId> known;
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto view = r.call(i, "aten.view_copy.default");
    if (!view) continue;
    const ValueId x = (*view)["self"];
    // Of a value that is written into, each view shows what was there at its time.
    if (r.is_mutated(x) || r.is_mutated(view->out())) continue;
    const TensorDecl& y = r.tensor(view->out());
    const Key key{x, y.dtype, {y.dims.begin(), y.dims.end()}, r.identity((*view)["size"])};
    const auto [first, is_new] = known.try_emplace(key, view->out());
    if (!is_new && r.redirect(view->out(), first->second)) r.remove(i);
  }
}

}  // namespace highwater
