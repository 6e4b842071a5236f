#include "passes/activation.h"

namespace highwater {
namespace {

// An op, and its arguments beside the tensor.
struct Function {
  std::string_view op;
  std::string_view p = {};
  std::string_view q = {};
  std::string_view approximate = {};
  bool numbers_may_be_none = false;
};
constexpr Function kFunctions[] = {
    {"aten.relu.default"},
    {"aten.hardtanh.default", "min_val", "max_val"},
    {.op = "aten.clamp.default", .p = "min", .q = "max", .numbers_may_be_none = true},
    {"aten.hardswish.default"},
    {"aten.hardsigmoid.default"},
    {"aten.sigmoid.default"},
    {"aten.tanh.default"},
    {"aten.leaky_relu.default", "negative_slope"},
    {.op = "aten.gelu.default", .approximate = "approximate"},
};

}  // namespace

std::optional<ActivationCall> as_activation(const Rewriter& r, size_t i) {
  for (const Function& function : kFunctions) {
    const auto call = r.call(i, function.op);
    if (!call) continue;
    ActivationCall result{function.op, {}, (*call)["self"], call->out()};
    const std::pair<std::string_view, std::string_view> numbers[] = {{"p", function.p},
                                                                     {"q", function.q}};
    for (const auto& [ours, theirs] : numbers) {
      if (theirs.empty()) continue;
      const ValueId id = (*call)[theirs];
      const bool is_none = r.is_null(id) && function.numbers_may_be_none;
      if (!r.number(id) && !is_none) return {};
      result.others.push_back({ours, id});
    }
    if (!function.approximate.empty()) {
      const ValueId id = (*call)[function.approximate];
      if (!std::holds_alternative<std::string>(r.value(id))) return {};
      result.others.push_back({"approximate", id});
    }
    return result;
  }
  return {};
}

}  // namespace highwater
