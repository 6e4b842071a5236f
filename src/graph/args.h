// What an op's constructor sees: its arguments, and the declarations it makes.
//
// Arguments go by the names that the op's schema gives them, and are read as what it says they are.
// The accessors never fail on the spot. The first problem is kept, harmless stand-ins are returned,
// and the graph refuses the op when its constructor is done.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blob/program.h"
#include "graph/arrangement.h"
#include "graph/handles.h"
#include "graph/kernel.h"
#include "graph/schema.h"
#include "graph/traits.h"
#include "highwater/result.h"

namespace highwater {

class Graph;
struct Node;
struct StepDecl;

class Args {
 public:
  Args(Graph& graph, uint32_t node, const Program& program, const OpCall& call,
       const Schema& schema);

  std::string_view op() const { return call_.name; }
  // Whether the op's schema has such an argument.
  bool takes(std::string_view name) const {
    return schema_.position(name) < schema_.arguments().size();
  }
  // Whether the call leaves the argument out, or says none.
  bool is_null(std::string_view name);
  // Whether it is an integer known only when the program runs, and not a literal.
  bool is_live(std::string_view name);

  // Values that the op reads.
  Tensor tensor(std::string_view name);
  std::optional<Tensor> optional_tensor(std::string_view name);
  std::vector<Tensor> tensors(std::string_view name);
  std::vector<std::optional<Tensor>> optional_tensors(std::string_view name);
  LiveInt live_integer(std::string_view name);
  LiveInts live_integers(std::string_view name);
  // A value that the op reads and writes into.
  Tensor mutated(std::string_view name);

  // The value that the op makes, or all of them.
  Tensor out();
  std::vector<Tensor> outs();
  Scalar out_scalar();

  // Literals. Int, Double and Bool stand for each other: exporters merge equal ones. One that is
  // left out, or none, is as the schema has it.
  int64_t integer(std::string_view name);
  double number(std::string_view name);
  double number_or(std::string_view name, double otherwise);
  bool flag(std::string_view name);
  std::string string(std::string_view name);
  std::vector<int64_t> integers(std::string_view name);
  std::vector<double> numbers(std::string_view name);

  DType dtype(Tensor t) const;
  // A copy: a scratch that is asked for next may move the graph's own.
  Dims bound(Tensor t) const;
  // Whether it is part of the program, and so of one size only.
  bool is_constant(Tensor t) const;
  // Whether it is such, and of no use to any other op, so that it may lie in another order.
  bool is_own_constant(Tensor t) const;
  // The last dim of a tensor argument, at its bound; 0 if there is none.
  int64_t last_dim(std::string_view name);
  const DeviceTraits& traits() const;

  // Refuses the op unless `ok`.
  template <class... Pieces>
  void require(bool ok, const Pieces&... why) {
    if (!ok) refuse(fail(why...));
  }

  // y uses x's memory from its start, and costs nothing. False where that would be wrong (another
  // element width, or an op writes into either); the op then declares a copy.
  bool alias(Tensor y, Tensor x);

  // The elements of a constant in another order, as a constant of its own.
  Tensor arranged(Tensor constant, Arrangement arrangement);

  // y is x, which the op writes into, as the op leaves it.
  void alias_mutated(Tensor y, Tensor x);

  // y is the constant x, under another name.
  void make_constant(Tensor y, Tensor x);

  // The op's plan depends on the integers in x, which the caller must have on the host.
  void read_on_host(Tensor x);
  // The same where x may as well be computed on the device; its plan must do without them then.
  void read_on_host_if_given(Tensor x);

  // Memory for the op's own use within one run, of at most `elements`.
  Tensor scratch(DType dtype, int64_t elements);

  // A kernel with its bindings, compiled at load; plan() runs it by this handle. `variant` tells
  // specialisations of one source apart in reports.
  template <class K>
  Step<K> step(std::initializer_list<Tensor> bindings,
               std::initializer_list<Substitution> substitutions = {},
               std::string_view variant = {}) {
    return {declare_step(K::kSource, {bindings.begin(), bindings.size()},
                         {substitutions.begin(), substitutions.size()}, variant)};
  }
  template <class K>
  Step<K> step(const std::vector<Tensor>& bindings, const std::vector<Substitution>& substitutions,
               std::string_view variant = {}) {
    return {declare_step(K::kSource, bindings, substitutions, variant)};
  }

  Status finish();

 private:
  // An argument as the schema and the call have it.
  struct Given {
    std::string_view name;
    std::string_view otherwise;  // the schema's default
    std::optional<ValueId> id;   // none if the call does not say
    DTypes dtypes = DTypes::Any;
    size_t list_size = 0;
  };
  // The argument, which the schema must have as one of these kinds.
  Given find(std::string_view name, std::initializer_list<ArgumentKind> kinds, bool is_list);
  // The same where the call must say it; else it is refused.
  std::optional<ValueId> need(const Given& given);
  // A literal of the call, or the schema's default.
  template <class T>
  T literal(const Given& given, std::optional<T> (*read)(const Value&), std::string_view wanted);
  // The last argument, which the op writes.
  std::optional<ValueId> result(ResultKind kind);

  bool is_null(ValueId id) const { return std::holds_alternative<NullValue>(program_.values[id]); }
  void refuse(Error error);
  void refuse_kind(std::string_view name, ValueId id, std::string_view wanted);
  void note_read(ValueId id);
  void note_write(ValueId id);
  // A tensor that has a value by now, which the op reads.
  std::optional<Tensor> read_tensor(const Given& given, ValueId id);
  std::optional<Tensor> written_tensor(ValueId id);
  std::optional<LiveInt> as_live_integer(ValueId id);
  uint32_t declare_step(const KernelSource& source, std::span<const Tensor> bindings,
                        std::span<const Substitution> substitutions, std::string_view variant);
  void check_parts(const StepDecl& step);
  Node& node() const;

  Graph& graph_;
  uint32_t node_;
  const Program& program_;
  const OpCall& call_;
  const Schema& schema_;
  std::optional<Error> error_;
};

}  // namespace highwater
