#include <map>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

constexpr std::string_view kLayer = "et_vk.linear_dq8ca_q4gsw.default";

// torchao.choose_qparams_affine: (x, mapping, block, dtype, lowest, highest, eps, …, [scale, zero])
struct ChosenRange {
  ValueId x, lowest, highest, eps, scale, zero;
};

std::optional<ChosenRange> as_chosen_range(const Rewriter& r, size_t i) {
  const OpCall& call = r.call(i);
  if (call.name != "torchao.choose_qparams_affine.default" || call.args.size() < 8) return {};
  const auto* mapping = std::get_if<std::string>(&r.value(call.args[1]));
  const auto* outs = std::get_if<ValueList>(&r.value(call.args.back()));
  if (!mapping || *mapping != "ASYMMETRIC" || !outs || outs->items.size() != 2) return {};
  // The fused op writes rows by quads.
  const Dims& x = r.tensor(call.args[0]).dims;
  if (x.empty() || x.back() % 4 != 0) return {};
  // One that is written into may be another for each layer.
  if (r.is_mutated(call.args[0])) return {};
  // The layers cut to all of int8, whatever range was chosen for.
  const auto is = [&](ValueId id, double wanted) {
    return r.is_null(id) || r.number(id) == std::optional(wanted);
  };
  if (!is(call.args[4], -128) || !is(call.args[5], 127)) return {};
  if (!r.is_null(call.args[6]) && !r.number(call.args[6])) return {};
  return ChosenRange{call.args[0], call.args[4],   call.args[5],
                     call.args[6], outs->items[0], outs->items[1]};
}

// The layers that quantize their input by this range; none if anything else reads it.
std::vector<size_t> layers_of(const Rewriter& r, const ChosenRange& range) {
  std::vector<size_t> layers;
  for (size_t i : r.readers(range.scale)) {
    if (!r.is(i, kLayer, 9)) continue;
    const auto& args = r.call(i).args;  // (x, scale, zero, w, sums, scales, group, bias, y)
    if (args[0] == range.x && args[1] == range.scale && args[2] == range.zero) layers.push_back(i);
  }
  const bool all = r.uses(range.scale) == layers.size() && r.uses(range.zero) == layers.size();
  return all ? layers : std::vector<size_t>();
}

}  // namespace

void fuse_fake_quantize(Program& program) {
  Rewriter r(program);
  // By input and eps: layers that quantize the same input see the same.
  std::map<std::pair<ValueId, std::optional<double>>, ValueId> seen;
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto range = as_chosen_range(r, i);
    if (!range) continue;
    const std::vector<size_t> layers = layers_of(r, *range);
    if (layers.empty()) continue;
    const auto [known, is_new] = seen.try_emplace({range->x, r.number(range->eps)}, ValueId{});
    if (is_new) {
      TensorDecl as_seen;
      as_seen.dims = r.tensor(range->x).dims;
      known->second = r.add_value(as_seen);
      r.replace(i, "hw.fake_quantize",
                {range->x, range->lowest, range->highest, range->eps, known->second}, {});
    } else {
      r.remove(i);
    }
    for (size_t layer : layers) {
      const std::vector<ValueId> args = r.call(layer).args;
      r.replace(layer, "et_vk.linear_q4gsw.default",
                {known->second, args[3], args[5], args[6], args[7], args[8]}, {});
    }
  }
}

}  // namespace highwater
