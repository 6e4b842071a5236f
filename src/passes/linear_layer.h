// Linear layers as passes see them: such as can be joined with others.
#pragma once

#include <span>
#include <tuple>

#include "passes/rewriter.h"

namespace highwater {

// A layer of constant weights, of sizes that the tiled kernels take.
struct LinearLayer {
  // A constant with the dim along which the layer's columns lie.
  struct Constant {
    Named argument;
    size_t columns;
  };
  // Layers can be joined if they have the same.
  using Kind = std::tuple<std::string_view, ValueId, size_t, int64_t>;

  std::string_view joined;  // what the names of joined ops begin with
  Named input;              // names are those of the joined op's arguments
  ValueId y;
  std::vector<Constant> constants;
  std::vector<Named> others = {};
  int64_t group = 0;  // weights that share a scale; 0 where there are no scales

  Kind kind() const { return {joined, input.id, constants.size(), group}; }
};

// Call i, if it is a 4-bit layer as exporters write it, of such weights and sizes; it may have a
// bias.
std::optional<FullCall> as_tiled_q4(const Rewriter& r, size_t i);

std::optional<LinearLayer> as_linear_layer(const Rewriter& r, size_t i);

// The arguments of an op that is all these layers, which are of one kind. Nothing if their
// constants do not go together.
std::optional<std::vector<Named>> join_layers(Rewriter& r, std::span<const LinearLayer> layers);

}  // namespace highwater
