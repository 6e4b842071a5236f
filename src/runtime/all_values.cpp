#include "runtime/all_values.h"

#include "graph/mutations.h"

namespace highwater {

void give_all_values(Program& program) {
  const std::vector<bool> mutated = mutated_values(program);
  std::vector<bool> given(program.values.size());
  for (const ValueId id : program.outputs) given[id] = true;
  const auto give = [&](ValueId id) {
    const Value& value = program.values[id];
    const bool is_number = std::holds_alternative<SymInt>(value);
    if (given[id] || !(is_number || std::holds_alternative<TensorDecl>(value))) return;
    given[id] = true;
    program.outputs.push_back(id);
  };
  for (const OpCall& call : program.calls) {
    if (call.args.empty() || call.name == "et_vk.prepack.default") continue;
    const ValueId out = call.args.back();
    if (const auto* list = std::get_if<ValueList>(&program.values[out])) {
      for (const ValueId id : list->items) give(id);
    } else {
      give(out);
    }
  }
  // Caches and the like, whether they are known as constants or as what is prepacked of them.
  for (ValueId id = 0; id < mutated.size(); ++id) {
    if (mutated[id]) give(id);
  }
}

}  // namespace highwater
