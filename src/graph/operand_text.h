// The WGSL of one binding: its declaration, and the functions that hide its dtype.
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

// `argument` is what follows #input, #image or #output: a name, or "name : type".
OperandText declare_operand(std::string_view argument, OperandRole role, size_t binding,
                            const Operand& operand, const DeviceTraits& traits);

}  // namespace highwater
