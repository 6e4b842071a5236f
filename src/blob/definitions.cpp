#include "blob/definitions.h"

namespace highwater {
namespace {

class Definitions {
 public:
  explicit Definitions(const Program& program)
      : program_(program), defined_(program.values.size()) {
    for (ValueId id = 0; id < program.values.size(); ++id) {
      const auto* tensor = std::get_if<TensorDecl>(&program.values[id]);
      const bool is_scalar = std::holds_alternative<SymInt>(program.values[id]);
      // A literal is always there.
      defined_[id] = tensor ? tensor->constant.has_value() : !is_scalar;
    }
    for (ValueId id : program.inputs) defined_[id] = true;
  }

  Status take(const OpCall& call) {
    if (call.args.empty()) return {};
    for (size_t k = 0; k + 1 < call.args.size(); ++k) HW_CHECK(read(call.args[k]));
    return write(call.args.back());
  }

  Status read(ValueId id) const {
    if (const auto* list = std::get_if<ValueList>(&program_.values[id])) {
      for (ValueId item : list->items) HW_CHECK(read(item));
      return {};
    }
    if (defined_[id]) return {};
    return fail("it reads ", kind_name(program_.values[id]), " ", id,
                ", which nothing has written");
  }

 private:
  // What an op makes is its last argument: a value, or a list of them.
  Status write(ValueId id) {
    if (const auto* list = std::get_if<ValueList>(&program_.values[id])) {
      for (ValueId item : list->items) HW_CHECK(write(item));
      return {};
    }
    const bool is_literal = !std::holds_alternative<TensorDecl>(program_.values[id]) &&
                            !std::holds_alternative<SymInt>(program_.values[id]);
    if (is_literal) return {};  // an op that wants another kind says so when it is made
    if (defined_[id]) {
      return fail("it writes ", kind_name(program_.values[id]), " ", id,
                  ", which already has a value");
    }
    defined_[id] = true;
    return {};
  }

  const Program& program_;
  std::vector<bool> defined_;
};

}  // namespace

Status check_definitions(const Program& program) {
  Definitions definitions(program);
  for (const OpCall& call : program.calls) {
    Status taken = definitions.take(call);
    if (!taken) {
      return taken.take_error().within(text("op ", call.name, " (node ", call.node_id, ")"));
    }
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (!definitions.read(program.outputs[i])) {
      return fail("output ", i, " is value ", program.outputs[i], ", which nothing has written");
    }
  }
  return {};
}

}  // namespace highwater
