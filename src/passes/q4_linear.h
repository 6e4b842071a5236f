// 4-bit linear layers as passes see them.
#pragma once

#include "passes/rewriter.h"

namespace highwater {

// A layer whose sizes the tiled kernel takes, without a bias: one that can be joined with others.
struct Q4Linear {
  ValueId x, w, scales, group, y;
};

inline std::optional<Q4Linear> as_q4_linear(const Rewriter& r, size_t i) {
  // (x, w, scales, group, bias, y)
  if (!r.is(i, "et_vk.linear_q4gsw.default", 6) || !r.is_null(r.call(i).args[4])) return {};
  const auto& args = r.call(i).args;
  const TensorDecl *x = r.tensor(args[0]), *w = r.tensor(args[1]), *scales = r.tensor(args[2]);
  const auto* group = std::get_if<int64_t>(&r.value(args[3]));
  if (!x || !w || !scales || !group || !w->constant || !scales->constant) return {};
  if (w->dims.rank() != 2 || scales->dims.rank() != 2) return {};
  const int64_t depth = x->dims.back(), columns = w->dims[0];
  const bool tiles = depth % 32 == 0 && w->dims[1] * 2 == depth && columns % 4 == 0 &&
                     scales->dims[1] == columns && *group > 0 && *group % 32 == 0;
  if (!tiles) return {};
  return Q4Linear{args[0], args[1], args[2], args[3], args[5]};
}

}  // namespace highwater
