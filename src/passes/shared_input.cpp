#include <map>

#include "passes/passes.h"
#include "passes/q4_linear.h"

namespace highwater {

void share_linear_inputs(Program& program) {
  // As many as a kernel has room to write.
  constexpr size_t kMost = 3;
  struct Member {
    size_t call;
    Q4Linear layer;
  };
  Rewriter r(program);
  std::map<std::pair<ValueId, ValueId>, std::vector<Member>> by_input;
  for (size_t i = 0; i < r.call_count(); ++i) {
    if (const auto layer = as_q4_linear(r, i)) {
      by_input[{layer->x, layer->group}].push_back({i, *layer});
    }
  }
  for (const auto& [input, members] : by_input) {
    for (size_t first = 0; first + 1 < members.size(); first += kMost) {
      const size_t end = std::min(first + kMost, members.size());
      std::vector<ValueId> ws, scales;
      ValueList ys;
      for (size_t k = first; k < end; ++k) {
        ws.push_back(members[k].layer.w);
        scales.push_back(members[k].layer.scales);
        ys.items.push_back(members[k].layer.y);
      }
      const auto w = concatenate(program, ws, 0);
      const auto scale = concatenate(program, scales, 1);
      if (!w || !scale) continue;
      const ValueId w_id = r.add_value(*w), scale_id = r.add_value(*scale);
      const ValueId ys_id = r.add_value(std::move(ys));
      // In place of the first: all that they read is there by then.
      for (size_t k = first + 1; k < end; ++k) r.remove(members[k].call);
      r.replace(members[first].call, "hw.linear_q4gsw.shared",
                {input.first, w_id, scale_id, input.second, ys_id}, {});
    }
  }
}

}  // namespace highwater
