#include <algorithm>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

constexpr std::string_view kLayerView = "aten.view_copy.default",
                           kViewedLayer = "aten.linear.default";

// Whether the sizes of all dims but the last follow from their product: at most one is ever
// anything but 1.
bool has_one_leading_size(const Dims& dims) {
  int64_t sizes = 0;
  for (size_t i = 0; i + 1 < dims.rank(); ++i) sizes += dims[i] != 1;
  return sizes <= 1;
}

// Whether both have the same dims, but for the last.
bool lead_alike(const Dims& a, const Dims& b) {
  if (a.rank() != b.rank() || a.empty()) return false;
  return std::equal(a.begin(), a.end() - 1, b.begin());
}

// Whether a view is one to rows of a width that is not live.
bool has_fixed_width(const Rewriter& r, const FullCall& view) {
  const std::vector<int64_t> sizes = r.identity(view["size"]);
  return sizes.size() >= 2 && sizes[sizes.size() - 2] == 0;
}

}  // namespace

void drop_linear_views(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto layer = r.call(i, kViewedLayer);
    if (!layer) continue;
    const ValueId rows = (*layer)["input"];
    const auto before = r.producer(rows, kLayerView),
               after = r.only_reader(layer->out(), kLayerView);
    if (!after || r.is_mutated(layer->out()) || r.is_mutated(after->out())) continue;
    if (!has_fixed_width(r, *after) || (before && !has_fixed_width(r, *before))) continue;
    // The result may have the dims of either: a view to the same dims is for nothing, too.
    const Dims to = r.tensor(after->out()).dims;
    const bool is_same = lead_alike(r.tensor(rows).dims, to);
    if (!before && !is_same) continue;
    const ValueId x = is_same ? rows : (*before)["self"];
    const Dims from = r.tensor(x).dims;
    const bool keeps_rows = lead_alike(from, to) && has_one_leading_size(from) &&
                            from.back() == r.tensor(rows).dims.back() &&
                            to.back() == r.tensor(layer->out()).dims.back();
    // It goes to the place of the view, and must find there what it would have read.
    const ValueId read[] = {x, rows, (*layer)["weight"], (*layer)["bias"]};
    const bool can_move = std::none_of(std::begin(read), std::end(read),
                                       [&](ValueId id) { return r.is_mutated(id); });
    if (!keeps_rows || !can_move) continue;
    r.remove(i);
    r.replace(after->index(), kViewedLayer,
              {{"input", x}, {"weight", (*layer)["weight"]}, {"bias", (*layer)["bias"]}},
              after->out());
    r.remove_unused(rows);
  }
}

}  // namespace highwater
