// An op: a constructor that parses its arguments, and one function that looks at shapes.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "graph/args.h"
#include "graph/plan.h"
#include "graph/registry.h"
#include "graph/shapes.h"
#include "highwater/result.h"

namespace highwater {

class Op {
 public:
  virtual ~Op() = default;

  // Called at the bound when the graph is built, and at the live shapes when they change. It must
  // follow from `shapes` and the op's arguments alone.
  virtual Status plan(const Shapes& shapes, Plan& plan) const = 0;
};

template <class T>
std::unique_ptr<Op> make_op(Args& args) {
  return std::make_unique<T>(args);
}

// Makes T, constructible from Args&, the op behind the rows. Always true.
template <class T>
bool register_rows(std::initializer_list<OpRow> rows) {
  register_ops(rows.begin(), rows.size(), sizeof(OpRow), &make_op<T>);
  return true;
}

// The same for a table whose rows say more of each op than `op`, their OpRow.
template <class T, class Row, size_t N>
bool register_table(const Row (&rows)[N]) {
  register_ops(&rows[0].op, N, sizeof(Row), &make_op<T>);
  return true;
}

// The row of such a table that the op was registered by.
template <class Row, size_t N>
const Row& row_of(const Row (&rows)[N], std::string_view op) {
  return *std::find_if(rows, rows + N, [&](const Row& row) { return row.op.name() == op; });
}

}  // namespace highwater

// Rows of the table of ops, made by T: "name(arguments) -> Tensor", or the same with its limits,
// {"name(arguments) -> Tensor", "no such and such"}.
#define HIGHWATER_OP(T, ...)                                 \
  static const bool HW_CONCAT(hw_registered_, __COUNTER__) = \
      ::highwater::register_rows<T>({__VA_ARGS__})

// The same for a whole table of T's own.
#define HIGHWATER_OPS(T, rows) \
  static const bool HW_CONCAT(hw_registered_, __COUNTER__) = ::highwater::register_table<T>(rows)
