// Kernels: WGSL text specialised by the element types that it is bound to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace highwater {

// A .wgsl file as embedded in the binary.
struct KernelSource {
  std::string_view name;
  uint32_t params_size;
  std::string_view text;
};

// What kind of buffer params are read from.
enum class ParamsSpace { Uniform, Storage };

// ${name} in the text becomes the value.
struct Substitution {
  std::string name;
  std::string value;
};

struct KernelText {
  std::string wgsl;
  std::vector<bool> writes;  // for each binding, in order
};

// Expands a source:
//   #input x     a read-only binding, with x_at(i) and x_quad(q)
//   #input x : T    the same without accessors, as array<T>
//   #output y    a read-write binding, with y_put(q, v) as well
//   #main i      the entry point, one invocation an item: i is its number
//   #main g l    the same by workgroups: g is the group's number, l the invocation's within it
//   #unroll k 4  repeats the lines up to its #end, with ${k} as 0, 1, 2, 3
//   ${NAME}      a substitution, within a line
//   #include NAME   a substitution of whole lines, which are expanded in turn
// Bindings are numbered in order of appearance, after the params at binding 0. Four consecutive
// elements are a quad, the unit of memory access for every dtype: x_quad gives it as vec4<x_t>,
// where x_t is f32 or i32, whatever the width in memory.
Result<KernelText> expand(const KernelSource& source, ParamsSpace params,
                          std::span<const DType> bindings,
                          std::span<const Substitution> substitutions);

}  // namespace highwater
