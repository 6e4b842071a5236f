#include "ops/attention/problem.h"

#include <algorithm>

namespace highwater {

Status AttentionProblem::set_mask(const Dims& mask, const Dims& bound) {
  const Dims wanted{batch, q_heads, positions, context};
  const size_t lead = 4 - std::min<size_t>(mask.rank(), 4);
  bool fits = mask.rank() <= 4 && mask.rank() > 0 && mask.back() >= context;
  for (size_t i = lead; fits && i < 3; ++i) {
    // A mask may be made for more queries than there are just now.
    const int64_t have = mask[i - lead];
    const bool serves_all = have == 1 && bound[i - lead] == 1;
    fits = serves_all || have == wanted[i] || (i == 2 && have > positions);
  }
  if (!fits) {
    return fail("a mask of dims ", mask, " for ", batch, " x ", q_heads, " heads, ", positions,
                " queries and ", context, " keys");
  }
  const auto stride = [&](size_t i) {
    return i < lead || mask[i - lead] == 1 ? 0 : mask.product(i - lead + 1, mask.rank());
  };
  mask_batch = stride(0);
  mask_head = stride(1);
  mask_row = stride(2);
  return {};
}

std::string mask_text(const Args& a, const std::optional<Tensor>& mask, const std::string& score,
                      const std::string& at) {
  if (!mask) return "";
  if (is_float(a.dtype(*mask))) return text(score, " += mask_at(", at, "); ");
  return text(score, " = select(LOWEST, ", score, ", mask_at(", at, ") != 0); ");
}

}  // namespace highwater
