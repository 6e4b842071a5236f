// The WGSL of one operand: its bindings, and the functions that hide its dtype and how many there
// are.
#pragma once

#include <string>
#include <string_view>

#include "graph/kernel.h"

namespace highwater {

enum class OperandRole { Read, ReadImage, Written };

struct OperandText {
  std::string wgsl;
  OperandUse use;
  bool is_half = false;  // it needs `enable f16;`
};

// `argument` is what follows #input, #image or #output: a name, or "name : type". Its bindings are
// numbered from `binding` on.
Result<OperandText> declare_operand(std::string_view argument, OperandRole role, size_t binding,
                                    const Operand& operand, const DeviceTraits& traits);

}  // namespace highwater
