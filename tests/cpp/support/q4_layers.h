// Programs with 4-bit linear layers.
#pragma once

#include <optional>

#include "support/program_builder.h"

namespace highwater {

struct Q4Layers : ProgramBuilder {
  // How a layer differs from the usual one.
  struct Layer {
    int64_t columns = 16;
    bool bias = false;
    std::optional<ValueId> weight = std::nullopt;
  };

  int64_t rows = 8, depth = 64;
  ValueId group = integer(32);
  int layers = 0;

  ValueId layer(ValueId x, const Layer& l) {
    const std::string name = std::to_string(layers++);
    const ValueId w = l.weight.value_or(constant({l.columns, depth / 2}, "w" + name, DType::UInt8));
    const ValueId scales = constant({(depth + 31) / 32, l.columns}, "scales" + name);
    const ValueId bias = l.bias ? constant({l.columns}, "bias" + name) : null();
    return apply("et_vk.linear_q4gsw.default", {x, w, scales, group, bias}, {rows, l.columns});
  }
  ValueId layer(ValueId x) { return layer(x, Layer()); }
  ValueId layer_input() { return input({rows, depth}); }
  ValueId view(ValueId x, const Dims& dims) {
    return apply("aten.view_copy.default", {x, integers({dims.begin(), dims.end()})}, dims);
  }
};

}  // namespace highwater
