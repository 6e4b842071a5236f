#include "ops/map/epilogue.h"

namespace highwater {

Epilogue Epilogue::read(Args& a) {
  if (a.takes("output_min")) return {Activation::read_clamp(a, "output_min", "output_max"), {}};
  if (!a.takes("residual")) return {};
  return {Activation::read(a, "activation"), a.optional_tensor("residual"), a.flag("adds_last")};
}

std::string Epilogue::lines(Place place) const {
  std::string lines = activation ? activation->lines : std::string();
  const std::string_view at = place == Place::Quad ? "at: u32" : "at: vec4<u32>";
  if (residual) {
    append(lines,
           text("#input residual\nfn residual_of(", at, ") -> vec4<f32> {\n  return ",
                place == Place::Quad ? "residual_quad(at)"
                                     : "vec4<f32>(f32(residual_at(at.x)), f32(residual_at(at.y)), "
                                       "f32(residual_at(at.z)), f32(residual_at(at.w)))",
                ";\n}\n"));
  }
  const std::string_view sum = residual ? " + residual_of(at)" : "";
  const std::string result = !activation ? text("v", sum)
                             : adds_last ? text("activation(v)", sum)
                                         : text("activation(v", sum, ")");
  append(lines,
         text("fn epilogue(v: vec4<f32>, ", at, ") -> vec4<f32> { return ", result, "; }\n"));
  return lines;
}

std::string Epilogue::name() const {
  if (!activation) return residual ? "add" : "";
  if (!residual) return activation->name;
  return adds_last ? text(activation->name, "_add") : text("add_", activation->name);
}

}  // namespace highwater
