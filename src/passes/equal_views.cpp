#include <map>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {

void merge_equal_views(Program& program) {
  Rewriter r(program);
  std::map<ValueId, std::vector<size_t>> views_of;
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (!r.is(i, "aten.view_copy.default", 3)) continue;
    const std::vector<ValueId> view = r.call(i).args;  // (x, sizes, y)
    // Of a value that is written into, each view shows what was there at its time.
    if (r.is_mutated(view[0]) || r.is_mutated(view[2])) continue;
    auto& known = views_of[view[0]];
    bool merged = false;
    for (size_t k = 0; k < known.size() && !merged; ++k) {
      const auto& other = r.call(known[k]).args;
      const TensorDecl *a = r.tensor(view[2]), *b = r.tensor(other[2]);
      if (!a || !b || a->dtype != b->dtype || !(a->dims == b->dims)) continue;
      merged = r.same(view[1], other[1]) && r.redirect(view[2], other[2]);
    }
    if (merged) {
      r.remove(i);
    } else {
      known.push_back(i);
    }
  }
}

}  // namespace highwater
