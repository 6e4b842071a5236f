#include "support/rewritten.h"

#include "graph/graph.h"
#include "support/expect.h"

namespace highwater {

Rewritten::Rewritten(const ProgramBuilder& b, Pass pass) : program_(b.program()) {
  EXPECT_TRUE(succeeds(Graph::build(program_))) << "before the pass";
  pass(program_);
  EXPECT_TRUE(succeeds(Graph::build(program_))) << "after the pass";
  for (const OpCall& call : program_.calls) names_.push_back(call.name);
}

std::vector<ValueId> Rewritten::items(ValueId list) const {
  return std::get<ValueList>(program_.values.at(list)).items;
}

const TensorDecl& Rewritten::tensor(ValueId id) const {
  return std::get<TensorDecl>(program_.values.at(id));
}

bool leaves_alone(const ProgramBuilder& b, Pass pass) {
  const Rewritten rewritten(b, pass);
  const std::vector<OpCall>&before = b.program().calls, &after = rewritten.program().calls;
  if (before.size() != after.size()) return false;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].name != after[i].name || before[i].args != after[i].args) return false;
  }
  return true;
}

}  // namespace highwater
