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
    if (!r.is(i, "aten.view_copy.default", 3)) continue;
    const std::vector<ValueId> view = r.call(i).args;  // (x, sizes, y)
    // Of a value that is written into, each view shows what was there at its time.
    if (r.is_mutated(view[0]) || r.is_mutated(view[2])) continue;
    const TensorDecl& y = r.tensor(view[2]);
    const Key key{view[0], y.dtype, {y.dims.begin(), y.dims.end()}, r.identity(view[1])};
    const auto [first, is_new] = known.try_emplace(key, view[2]);
    if (!is_new && r.redirect(view[2], first->second)) r.remove(i);
  }
}

}  // namespace highwater
