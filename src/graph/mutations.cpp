#include "graph/mutations.h"

#include <algorithm>

#include "graph/registry.h"

namespace highwater {

std::vector<bool> mutated_values(const Program& program) {
  std::vector<bool> mutated(program.values.size());
  std::vector<const OpCall*> prepacks;
  for (const OpCall& call : program.calls) {
    if (call.name == "et_vk.prepack.default" && call.args.size() == 2) prepacks.push_back(&call);
    const OpEntry* op = find_op(call.name);
    for (size_t i = 0; op && i < std::min(op->schema.arguments().size(), call.args.size()); ++i) {
      if (op->schema.arguments()[i].is_mutated) mutated[call.args[i]] = true;
    }
  }
  for (const OpCall* call : prepacks) {
    if (mutated[call->args[1]]) mutated[call->args[0]] = true;
  }
  for (const OpCall* call : prepacks) {
    if (mutated[call->args[0]]) mutated[call->args[1]] = true;
  }
  return mutated;
}

}  // namespace highwater
