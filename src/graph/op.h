// An op: a constructor that parses its arguments, and one function that looks at shapes.
#pragma once

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

}  // namespace highwater

// Makes T, constructible from Args&, the op behind one or more names.
#define HIGHWATER_OP(T, ...)                              \
  static const bool HW_CONCAT(hw_registered_, __LINE__) = \
      ::highwater::register_ops({__VA_ARGS__}, {&::highwater::make_op<T>, {}})

// The same for an op that also writes into the given arguments.
#define HIGHWATER_MUTATING_OP(T, name, ...)               \
  static const bool HW_CONCAT(hw_registered_, __LINE__) = \
      ::highwater::register_ops({name}, {&::highwater::make_op<T>, {__VA_ARGS__}})
