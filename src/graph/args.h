// What an op's constructor sees: its arguments, and the declarations it makes.
//
// The accessors never fail on the spot. The first problem is kept, harmless stand-ins are returned,
// and the graph refuses the op when its constructor is done.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blob/program.h"
#include "graph/handles.h"
#include "graph/kernel.h"
#include "graph/traits.h"
#include "highwater/result.h"

namespace highwater {

class Graph;
struct Node;

class Args {
 public:
  Args(Graph& graph, uint32_t node, const Program& program, const OpCall& call);

  std::string_view op() const { return call_.name; }
  size_t size() const { return call_.args.size(); }
  // The output is the last argument of every op.
  size_t last() const { return size() ? size() - 1 : 0; }
  bool is_null(size_t i) const;
  // Whether it is an integer known only when the program runs, and not a literal.
  bool is_live(size_t i) const;

  // Values that the op reads.
  Tensor tensor(size_t i);
  std::optional<Tensor> optional_tensor(size_t i);
  std::vector<Tensor> tensors(size_t i);
  std::vector<std::optional<Tensor>> optional_tensors(size_t i);
  LiveInt live_integer(size_t i);
  LiveInts live_integers(size_t i);

  // Values that the op writes.
  Tensor out(size_t i);
  std::vector<Tensor> outs(size_t i);
  Scalar out_scalar(size_t i);
  // A value that the op reads and writes into; the op is registered as doing so.
  Tensor mutated(size_t i);

  // Literals. Int, Double and Bool stand for each other: exporters merge equal ones.
  int64_t integer(size_t i);
  int64_t integer_or(size_t i, int64_t otherwise);
  double number(size_t i);
  double number_or(size_t i, double otherwise);
  bool flag(size_t i);
  std::string string(size_t i);
  std::vector<int64_t> integers(size_t i);

  DType dtype(Tensor t) const;
  const Dims& bound(Tensor t) const;
  // Whether it is part of the program, and so of one size only.
  bool is_constant(Tensor t) const;
  // The last dim of the tensor at argument i, at its bound; 0 if there is none.
  int64_t last_dim(size_t i) const;
  const DeviceTraits& traits() const;

  // Refuses the op unless `ok`.
  template <class... Pieces>
  void require(bool ok, const Pieces&... why) {
    if (!ok) refuse(fail(why...));
  }

  // y uses x's memory from its start, and costs nothing. False where that would be wrong (another
  // element width, or an op writes into either); the op then declares a copy.
  bool alias(Tensor y, Tensor x);

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
  const Value& value(size_t i);
  ValueId id(size_t i) const { return call_.args[i]; }
  void refuse(Error error);
  void refuse_kind(size_t i, std::string_view wanted);
  void note_read(ValueId id);
  void note_write(ValueId id);
  std::optional<Tensor> as_tensor(size_t i, ValueId id);
  std::optional<LiveInt> as_live_integer(ValueId id);
  uint32_t declare_step(const KernelSource& source, std::span<const Tensor> bindings,
                        std::span<const Substitution> substitutions, std::string_view variant);
  Node& node() const;

  Graph& graph_;
  uint32_t node_;
  const Program& program_;
  const OpCall& call_;
  std::optional<Error> error_;
};

}  // namespace highwater
