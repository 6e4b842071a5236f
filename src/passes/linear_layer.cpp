#include "passes/linear_layer.h"

namespace highwater {

std::optional<FullCall> as_tiled_q4(const Rewriter& r, size_t i) {
  const auto call = r.call(i, "et_vk.linear_q4gsw.default");
  if (!call) return {};
  const TensorDecl &x = r.tensor((*call)["self"]), &w = r.tensor((*call)["weights"]),
                   &scales = r.tensor((*call)["weight_scales"]);
  const auto* group = std::get_if<int64_t>(&r.value((*call)["group_size"]));
  if (!group || !w.constant || !scales.constant) return {};
  if (w.dims.rank() != 2 || scales.dims.rank() != 2) return {};
  if (x.dims.empty()) return {};
  const int64_t depth = x.dims.back(), columns = w.dims[0];
  const bool tiles = depth % 32 == 0 && w.dims[1] * 2 == depth && columns % 4 == 0 &&
                     scales.dims[1] == columns && *group > 0 && *group % 32 == 0;
  return tiles ? call : std::nullopt;
}

namespace {

std::optional<LinearLayer> as_q4_layer(const Rewriter& r, size_t i) {
  const auto call = as_tiled_q4(r, i);
  if (!call || !r.is_null((*call)["bias"])) return {};
  const ValueId group_size = (*call)["group_size"];
  return LinearLayer{.joined = "hw.linear_q4gsw",
                     .input = {"self", (*call)["self"]},
                     .y = call->out(),
                     .constants = {{{"weights", (*call)["weights"]}, 0},
                                   {{"weight_scales", (*call)["weight_scales"]}, 1}},
                     .others = {{"group_size", group_size}},
                     .group = std::get<int64_t>(r.value(group_size))};
}

std::optional<LinearLayer> as_dense_layer(const Rewriter& r, size_t i) {
  const auto call = r.call(i, "aten.linear.default");
  if (!call || !r.is_null((*call)["bias"])) return {};
  const ValueId input = (*call)["input"], weight = (*call)["weight"];
  const TensorDecl &x = r.tensor(input), &w = r.tensor(weight);
  if (!w.constant || w.dims.rank() != 2) return {};
  const bool tiles =
      w.dims[1] == x.dims.back() && w.dims[1] % 4 == 0 && w.dims[0] % 4 == 0 && is_float(w.dtype);
  if (!tiles) return {};
  return LinearLayer{.joined = "hw.linear",
                     .input = {"input", input},
                     .y = call->out(),
                     .constants = {{{"weight", weight}, 0}}};
}

}  // namespace

std::optional<LinearLayer> as_linear_layer(const Rewriter& r, size_t i) {
  auto layer = as_q4_layer(r, i);
  if (!layer) layer = as_dense_layer(r, i);
  if (!layer || !r.is_tensor(layer->y)) return {};
  // One that is written into would be read too early by those that go to the place of another.
  if (r.is_mutated(layer->input.id)) return {};
  // Weights that are written into, as training does, cannot become a part of other constants.
  for (const auto& constant : layer->constants) {
    if (r.is_mutated(constant.argument.id)) return {};
  }
  return layer;
}

std::optional<std::vector<Named>> join_layers(Rewriter& r, std::span<const LinearLayer> layers) {
  const LinearLayer& first = layers.front();
  std::vector<Value> joined;
  for (size_t k = 0; k < first.constants.size(); ++k) {
    std::vector<ValueId> parts;
    for (const LinearLayer& layer : layers) parts.push_back(layer.constants[k].argument.id);
    auto whole = concatenate(r.program(), parts, first.constants[k].columns);
    if (!whole) return std::nullopt;
    joined.push_back(std::move(*whole));
  }
  std::vector<Named> arguments{first.input};
  for (size_t k = 0; k < joined.size(); ++k) {
    arguments.push_back({first.constants[k].argument.argument, r.add_value(std::move(joined[k]))});
  }
  arguments.insert(arguments.end(), first.others.begin(), first.others.end());
  return arguments;
}

}  // namespace highwater
