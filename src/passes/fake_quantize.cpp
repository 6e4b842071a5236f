#include <map>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

constexpr std::string_view kLayer = "et_vk.linear_dq8ca_q4gsw.default";

struct ChosenRange {
  ValueId x, lowest, highest, eps, scale, zero;
};

std::optional<ChosenRange> as_chosen_range(const Rewriter& r, size_t i) {
  const auto call = r.call(i, "torchao.choose_qparams_affine.default");
  if (!call) return {};
  const ValueId x = (*call)["input"], lowest = (*call)["quant_min"], highest = (*call)["quant_max"],
                eps = (*call)["eps"];
  const auto* mapping = std::get_if<std::string>(&r.value((*call)["mapping_type"]));
  const auto* outs = std::get_if<ValueList>(&r.value(call->out()));
  if (!mapping || *mapping != "ASYMMETRIC" || !outs || outs->items.size() != 2) return {};
  // The fused op writes rows by quads.
  const Dims& dims = r.tensor(x).dims;
  if (dims.empty() || dims.back() % 4 != 0) return {};
  // One that is written into may be another for each layer.
  if (r.is_mutated(x)) return {};
  // The layers cut to all of int8, whatever range was chosen for.
  const auto is = [&](ValueId id, double wanted) {
    return r.is_null(id) || r.number(id) == std::optional(wanted);
  };
  if (!is(lowest, -128) || !is(highest, 127)) return {};
  if (!r.is_null(eps) && !r.number(eps)) return {};
  return ChosenRange{x, lowest, highest, eps, outs->items[0], outs->items[1]};
}

// The layers that quantize their input by this range; none if anything else reads it.
std::vector<FullCall> layers_of(const Rewriter& r, const ChosenRange& range) {
  std::vector<FullCall> layers;
  for (size_t i : r.readers(range.scale)) {
    const auto layer = r.call(i, kLayer);
    if (layer && (*layer)["input"] == range.x && (*layer)["input_scales"] == range.scale &&
        (*layer)["input_zp"] == range.zero) {
      layers.push_back(*layer);
    }
  }
  const bool all = r.uses(range.scale) == layers.size() && r.uses(range.zero) == layers.size();
  return all ? layers : std::vector<FullCall>();
}

}  // namespace

void fuse_fake_quantize(Program& program) {
  Rewriter r(program);
  // By input and eps: layers that quantize the same input see the same.
  std::map<std::pair<ValueId, std::optional<double>>, ValueId> seen;
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto range = as_chosen_range(r, i);
    if (!range) continue;
    const std::vector<FullCall> layers = layers_of(r, *range);
    if (layers.empty()) continue;
    const auto [known, is_new] = seen.try_emplace({range->x, r.number(range->eps)}, ValueId{});
    if (is_new) {
      TensorDecl as_seen;
      as_seen.dims = r.tensor(range->x).dims;
      known->second = r.add_value(as_seen);
      r.replace(i, "hw.fake_quantize",
                {{"x", range->x},
                 {"lowest", range->lowest},
                 {"highest", range->highest},
                 {"eps", range->eps}},
                known->second);
    } else {
      r.remove(i);
    }
    for (const FullCall& layer : layers) {
      r.replace(layer.index(), "et_vk.linear_q4gsw.default",
                {{"self", known->second},
                 {"weights", layer["weights"]},
                 {"weight_scales", layer["weight_scales"]},
                 {"group_size", layer["group_size"]},
                 {"bias", layer["bias"]}},
                layer.out());
    }
  }
}

}  // namespace highwater
