// What a pass makes of a program: the calls that are left, in order.
#pragma once

#include <string>
#include <vector>

#include "passes/passes.h"
#include "support/program_builder.h"

namespace highwater {

using Pass = void (*)(Program&);

class Rewritten {
 public:
  // The rewritten program must still be one that a graph can be built of.
  Rewritten(const ProgramBuilder& b, Pass pass);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<ValueId>& args(size_t call) const { return program_.calls.at(call).args; }
  const Program& program() const { return program_; }
  // The items of a list value, such as an op's outputs.
  std::vector<ValueId> items(ValueId list) const;
  const TensorDecl& tensor(ValueId id) const;

 private:
  Program program_;
  std::vector<std::string> names_;
};

// Whether the pass leaves every call as it is.
bool leaves_alone(const ProgramBuilder& b, Pass pass);

}  // namespace highwater
