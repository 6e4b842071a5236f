// Kernels: WGSL text specialised by the element types that it is bound to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/texels.h"
#include "graph/traits.h"
#include "highwater/dtype.h"
#include "highwater/result.h"

namespace highwater {

// A .wgsl file as embedded in the binary.
struct KernelSource {
  std::string_view name;
  uint32_t params_size;
  std::string_view text;
};

// What fills the hole ${name}. Names stand in the sources.
struct Substitution {
  std::string_view name;
  std::string value;
};

// What a kernel is bound to.
struct Operand {
  DType dtype;
  bool constant = false;  // may be made an image
  uint64_t bytes = 0;     // the most that it is, in whole quads
};

// What a kernel does with an operand.
struct OperandUse {
  bool writes = false;
  Texels texels = Texels::None;  // reads it as an image
  uint32_t parts = 1;            // bindings that it takes, each of DeviceTraits::binding_bytes

  bool operator==(const OperandUse&) const = default;
};

struct KernelText {
  std::string wgsl;
  std::vector<OperandUse> uses;  // of each operand, in order
};

// Expands a source:
//   #input x     a read-only binding, with x_at(i) and x_quad(q)
//   #input x : T    the same as an array of T, with x_item(i) alone
//   #image x     the same as #input; read as a texture where that is faster and x is a constant
//   #image x : T    the same, with x_item(i)
//   #output y    a read-write binding, with y_put(q, v) as well
//   #output y : T   the same as an array of T, with y_item(i) and y_set(i, v); one of atomics has
//   none #main i      the entry point, one invocation an item: i is its number #main g l    the
//   same by workgroups: g is the group's number, l the invocation's within it #lanes g l   the same
//   by ${LANES} invocations an item, of which this is number l: one by
//                itself, a whole workgroup, or the lanes of a subgroup in between
//   #over_lanes sum f32 a + b   sum_over_lanes(v, l): what these found, as one; `a + b` merges two
//   #unroll k 4  repeats the lines up to its #end, with ${k} as 0, 1, 2, 3
//   ${NAME}      a hole, which a substitution fills; one on a line of its own may be filled with
//                whole lines, which are expanded in turn
// Bindings are numbered in order of appearance, after the params at binding 0. Four consecutive
// elements are a quad, the unit of memory access for every dtype: x_quad gives it as vec4<x_t>,
// where x_t is f32 or i32, whatever the width in memory. A buffer that is larger than a binding may
// be takes several, one after the other; the accessors find the right one, and nothing else may
// reach into an operand.
Result<KernelText> expand(const KernelSource& source, const DeviceTraits& traits,
                          std::span<const Operand> operands,
                          std::span<const Substitution> substitutions);

}  // namespace highwater
