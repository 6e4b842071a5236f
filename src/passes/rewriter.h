// What a rewrite needs to know of a program, and how it changes one.
//
// Values are defined before they are read, but arguments may still be of any kind. As with an op's
// Args, accessors give a harmless stand-in for what is of another kind: whatever a rewrite makes of
// such a program, the graph refuses it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "blob/program.h"
#include "graph/schema.h"

namespace highwater {

// A call of a certain op, with all arguments that its schema has.
class FullCall {
 public:
  FullCall(size_t index, const OpCall& call, const Schema& schema)
      : index_(index), args_(call.args), schema_(&schema) {}

  size_t index() const { return index_; }
  const Schema& schema() const { return *schema_; }
  ValueId operator[](std::string_view argument) const { return args_[schema_->position(argument)]; }
  // What it makes: a value, or a list of them.
  ValueId out() const { return args_.back(); }

 private:
  size_t index_;
  std::vector<ValueId> args_;
  const Schema* schema_;
};

// An argument of a call to be.
struct Named {
  std::string_view argument;
  ValueId id;
};

class Rewriter {
 public:
  explicit Rewriter(Program& program);
  // Takes out the calls that were removed.
  ~Rewriter();

  size_t call_count() const { return program_.calls.size(); }
  bool is_removed(size_t i) const { return program_.calls[i].name.empty(); }
  // Call i, if it is of this op. The program is not checked yet: a call of the wrong number of
  // arguments is none.
  std::optional<FullCall> call(size_t i, std::string_view op) const;
  // The values that any call is given, without what it makes.
  std::span<const ValueId> inputs(size_t i) const;

  const Value& value(ValueId id) const { return program_.values[id]; }
  // For what is no tensor, one of rank 0 that is no constant.
  const TensorDecl& tensor(ValueId id) const;
  bool is_tensor(ValueId id) const { return std::holds_alternative<TensorDecl>(value(id)); }
  bool is_null(ValueId id) const { return std::holds_alternative<NullValue>(value(id)); }
  // A literal that is a number: exporters write whole ones as ints or as doubles.
  std::optional<double> number(ValueId id) const;
  // Equal for two that are one value, equal ints, or lists of such.
  std::vector<int64_t> identity(ValueId id) const;
  // Whether it has one size, because it is a constant or computed from such alone in a few steps.
  // Rows that are whole quads at their bound need not be at a live width.
  bool is_fixed(ValueId id) const { return is_fixed(id, 4); }
  // Whether a call writes into a value that it did not make.
  bool is_mutated(ValueId id) const { return mutated_[id]; }
  Program& program() { return program_; }

  // The call that writes a value.
  std::optional<size_t> producer(ValueId id) const;
  // The same, if it is of this op.
  std::optional<FullCall> producer(ValueId id, std::string_view op) const;
  // How many calls and outputs read a value.
  size_t uses(ValueId id) const { return uses_[id]; }
  // The calls among them, in order.
  std::vector<size_t> readers(ValueId id) const;
  // The call among them that is the only reader, if it is of this op.
  std::optional<FullCall> only_reader(ValueId id, std::string_view op) const;
  // What a value is, with its dims in another order.
  std::optional<ValueId> before_permute(ValueId id, std::span<const int64_t> order) const;
  std::optional<ValueId> before_permute(ValueId id, std::initializer_list<int64_t> order) const {
    return before_permute(id, std::span(order.begin(), order.size()));
  }
  // The value behind clones, and views that keep all dims. A view must be rows of a width that is
  // not live.
  ValueId behind_views(ValueId id) const;
  // Whether there is one reader of a value, and of each that it is such a view of.
  bool is_read_once(ValueId id) const;

  ValueId add_value(Value value);
  // Calls that read `from` read `to` instead. False, and nothing has changed, if `from` is an
  // output or part of a list as well.
  bool redirect(ValueId from, ValueId to);
  // Puts a call of the op in the place of call i; arguments that are not named are none.
  void replace(size_t i, std::string_view op, std::span<const Named> arguments, ValueId out);
  void replace(size_t i, std::string_view op, std::initializer_list<Named> arguments, ValueId out) {
    replace(i, op, std::span(arguments.begin(), arguments.size()), out);
  }
  void remove(size_t i);
  // Removes the view, clone or permutation that makes a value which nobody reads any more, and
  // those before it.
  void remove_unused(ValueId id);

 private:
  bool is_fixed(ValueId id, int steps) const;
  void count(const OpCall& call, int by);
  // Notes what call i reads and makes.
  void enter(size_t i);
  // The last of a list of sizes, if it is a literal.
  std::optional<int64_t> last_size(ValueId sizes) const;
  // What a value is a view of, if the view keeps all dims.
  std::optional<ValueId> behind_view(ValueId id) const;

  Program& program_;
  std::vector<std::optional<size_t>> producer_;
  std::vector<size_t> uses_;
  std::vector<std::vector<size_t>> readers_;  // calls that read a value, or did once
  std::vector<bool> mutated_;
};

// Constants side by side along a dim, as one that is put together at load. Nothing if they are not
// constants of the same kind.
std::optional<Value> concatenate(Program& program, const std::vector<ValueId>& parts, size_t dim);

}  // namespace highwater
