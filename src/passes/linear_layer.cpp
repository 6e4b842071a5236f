#include "passes/linear_layer.h"

namespace highwater {
namespace {

// (x, w, scales, group, bias, y); joined: (x, w, scales, group, …)
std::optional<LinearLayer> as_q4_layer(const Rewriter& r, size_t i) {
  if (!r.is(i, "et_vk.linear_q4gsw.default", 6) || !r.is_null(r.call(i).args[4])) return {};
  const auto& args = r.call(i).args;
  const TensorDecl &x = r.tensor(args[0]), &w = r.tensor(args[1]), &scales = r.tensor(args[2]);
  const auto* group = std::get_if<int64_t>(&r.value(args[3]));
  if (!group || !w.constant || !scales.constant) return {};
  if (w.dims.rank() != 2 || scales.dims.rank() != 2) return {};
  const int64_t depth = x.dims.back(), columns = w.dims[0];
  const bool tiles = depth % 32 == 0 && w.dims[1] * 2 == depth && columns % 4 == 0 &&
                     scales.dims[1] == columns && *group > 0 && *group % 32 == 0;
  if (!tiles) return {};
  return LinearLayer{"hw.linear_q4gsw", args[0], args[5], {{args[1], 0}, {args[2], 1}},
                     args[3],           *group};
}

// (x, w, bias, y); joined: (x, w, bias, …)
std::optional<LinearLayer> as_dense_layer(const Rewriter& r, size_t i) {
  if (!r.is(i, "aten.linear.default", 4)) return {};
  const auto& args = r.call(i).args;
  const TensorDecl &x = r.tensor(args[0]), &w = r.tensor(args[1]);
  if (!w.constant || w.dims.rank() != 2 || !r.is_null(args[2])) return {};
  const bool tiles =
      w.dims[1] == x.dims.back() && w.dims[1] % 4 == 0 && w.dims[0] % 4 == 0 && is_float(w.dtype);
  if (!tiles) return {};
  return LinearLayer{"hw.linear", args[0], args[3], {{args[1], 0}}, args[2]};
}

}  // namespace

std::optional<LinearLayer> as_linear_layer(const Rewriter& r, size_t i) {
  auto layer = as_q4_layer(r, i);
  if (!layer) layer = as_dense_layer(r, i);
  // One that is written into would be read too early by those that go to the place of another.
  if (layer && (r.is_mutated(layer->x) || !r.is_tensor(layer->y))) return {};
  return layer;
}

std::optional<std::vector<ValueId>> join_layers(Rewriter& r, std::span<const LinearLayer> layers) {
  const LinearLayer& first = layers.front();
  std::vector<Value> joined;
  for (size_t k = 0; k < first.constants.size(); ++k) {
    std::vector<ValueId> parts;
    for (const LinearLayer& layer : layers) parts.push_back(layer.constants[k].id);
    auto whole = concatenate(r.program(), parts, first.constants[k].columns);
    if (!whole) return std::nullopt;
    joined.push_back(std::move(*whole));
  }
  std::vector<ValueId> args{first.x};
  for (Value& value : joined) args.push_back(r.add_value(std::move(value)));
  args.push_back(first.last);
  return args;
}

}  // namespace highwater
