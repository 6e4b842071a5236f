#include "ops/map/activation.h"

#include "ops/map/unary.h"
#include "wgsl/map/functions.h"

namespace highwater {
namespace {

struct Function {
  std::string_view op;
  std::string_view when;
  std::string_view p;  // the arguments that are its numbers
  std::string_view q;
  bool gates = false;
};

Activation as_activation(Args& a, const Function& function) {
  const MapRow* row = find_unary(function.op, function.when);
  const bool is_known = row && !row->on_float.empty();
  a.require(is_known, "there is no activation '", function.op, "' ", function.when);
  if (!is_known) return {};
  // "aten.relu.default" is a relu.
  const std::string_view name = function.op.substr(function.op.find('.') + 1);
  return {.lines = text(wgsl::map::functions::kSource.text,
                        "\nfn activation(a: vec4<f32>) -> vec4<f32> {\n"
                        "  let p = vec4<f32>(params.p);\n"
                        "  let q = vec4<f32>(params.q);\n"
                        "  return ",
                        function.gates ? "a * " : "", "(", row->on_float, ");\n}\n"),
          .name = text(function.gates ? "times_" : "", name.substr(0, name.find('.'))),
          .p = narrow_to_float(a.number_or(function.p, row->none[0])),
          .q = narrow_to_float(a.number_or(function.q, row->none[1]))};
}

}  // namespace

std::optional<Activation> Activation::read(Args& a, std::string_view argument) {
  if (!a.takes(argument) || a.is_null(argument)) return std::nullopt;
  const std::string op = a.string(argument);
  const std::string when = a.is_null("approximate") ? "" : a.string("approximate");
  return as_activation(a, {op, when, "p", "q", a.takes("gates") && a.flag("gates")});
}

Activation Activation::read_clamp(Args& a, std::string_view least, std::string_view most) {
  return as_activation(a, {"aten.clamp.default", {}, least, most});
}

}  // namespace highwater
