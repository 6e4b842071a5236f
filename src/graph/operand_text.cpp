#include "graph/operand_text.h"

namespace highwater {
namespace {

// How four consecutive elements of a dtype lie in memory, and how they become a vec4 and back.
struct QuadFormat {
  std::string_view memory;   // type of one quad in the buffer
  std::string_view compute;  // type of one element in a register
  std::string_view load;     // expression: the quad `MEM` as vec4<compute>
  std::string_view store;    // expression: the vec4 `VEC` as one quad
  std::string_view at;       // expression: element LANE (0 to 3) of the quad `@`
};

const QuadFormat& quad_format(DType type, bool half) {
  static constexpr QuadFormat kFloat32{"vec4<f32>", "f32", "MEM", "VEC", "@[LANE]"};
  static constexpr QuadFormat kInt32{"vec4<i32>", "i32", "MEM", "VEC", "@[LANE]"};
  static constexpr QuadFormat kFloat16{"vec2<u32>", "f32",
                                       "vec4<f32>(unpack2x16float(MEM.x), unpack2x16float(MEM.y))",
                                       "vec2<u32>(pack2x16float(VEC.xy), pack2x16float(VEC.zw))",
                                       "unpack2x16float(@[LANE >> 1u])[LANE & 1u]"};
  static constexpr QuadFormat kNativeFloat16{"vec4<f16>", "f32", "vec4<f32>(MEM)", "vec4<f16>(VEC)",
                                             "f32(@[LANE])"};
  static constexpr QuadFormat kInt8{
      "u32", "i32",
      "(bitcast<vec4<i32>>(vec4<u32>(MEM) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u))",
      "dot(bitcast<vec4<u32>>(VEC) & vec4<u32>(255u), vec4<u32>(1u, 256u, 65536u, 16777216u))",
      "(bitcast<i32>(@ << (24u - 8u * LANE)) >> 24u)"};
  static constexpr QuadFormat kUInt8{
      "u32", "i32",
      "bitcast<vec4<i32>>((vec4<u32>(MEM) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u))",
      kInt8.store, "bitcast<i32>((@ >> (8u * LANE)) & 255u)"};
  static constexpr QuadFormat kBool{
      "u32", "i32", kUInt8.load,
      "dot(vec4<u32>(VEC != vec4<i32>(0)), vec4<u32>(1u, 256u, 65536u, 16777216u))", kUInt8.at};
  switch (device_dtype(type)) {
    case DType::Float16:
      return half ? kNativeFloat16 : kFloat16;
    case DType::Int32:
      return kInt32;
    case DType::Int8:
      return kInt8;
    case DType::UInt8:
      return kUInt8;
    case DType::Bool:
      return kBool;
    default:
      return kFloat32;
  }
}

// How a texel of this type is stored; None if it cannot be.
Texels texels_of(std::string_view memory) {
  if (memory == "vec4<f32>") return Texels::Float4;
  if (memory == "vec4<i32>") return Texels::Sint4;
  if (memory == "vec4<u32>") return Texels::Uint4;
  if (memory == "vec2<u32>") return Texels::Uint2;
  return memory == "u32" ? Texels::Uint1 : Texels::None;
}

std::string_view texel_format(Texels texels) {
  switch (texels) {
    case Texels::Sint4:
      return "rgba32sint";
    case Texels::Uint4:
      return "rgba32uint";
    case Texels::Uint2:
      return "rg32uint";
    case Texels::Uint1:
      return "r32uint";
    default:
      return "rgba32float";
  }
}

void declare_memory(std::string& out, std::string_view name, size_t index, std::string_view type,
                    const OperandUse& use) {
  append(out, text("@group(0) @binding(", index, ") var"));
  if (use.texels != Texels::None) {
    append(out, text(" ", name, ": texture_storage_2d<", texel_format(use.texels), ", read>;\n"));
  } else {
    append(out, text("<storage, ", use.writes ? "read_write" : "read", "> ", name, ": array<", type,
                     ">;\n"));
  }
}

void declare_texel(std::string& out, std::string_view name, std::string_view type, Texels texels) {
  const std::string_view used = texels == Texels::Uint2   ? ".xy"
                                : texels == Texels::Uint1 ? ".x"
                                                          : "";
  append(out, text("fn ", name, "_texel(AT: u32) -> ", type, " { return "));
  if (texels == Texels::None) {
    append(out, text(name, "[AT]; }\n"));
  } else {
    append(out, text("textureLoad(", name, ", vec2<u32>(AT % ", kImageWidth, "u, AT / ",
                     kImageWidth, "u))", used, "; }\n"));
  }
}

void declare_accessors(std::string& out, std::string_view name, const QuadFormat& f,
                       const OperandUse& use) {
  append(out, text("alias ", name, "_t = ", f.compute, ";\n"));
  // Names the quad in place, so that a scalar is loaded and not four.
  std::string quad = text(name, "[AT");
  std::string_view close = "]";
  if (use.texels != Texels::None) {
    declare_texel(out, name, f.memory, use.texels);
    quad = text(name, "_texel(AT");
    close = ")";
  }
  // Capitals, because an operand may have any other name.
  append(out, text("fn ", name, "_quad(AT: u32) -> vec4<", f.compute, "> { let MEM = ", quad, close,
                   "; return ", f.load, "; }\n"));
  std::string at(f.at);
  at.replace(at.find('@'), 1, text(quad, " >> 2u", close));
  append(out, text("fn ", name, "_at(AT: u32) -> ", f.compute, " { let LANE = AT & 3u; return ", at,
                   "; }\n"));
  if (!use.writes) return;
  append(out, text("fn ", name, "_put(AT: u32, VEC: vec4<", f.compute, ">) { ", name,
                   "[AT] = ", f.store, "; }\n"));
}

}  // namespace

OperandText declare_operand(std::string_view argument, OperandRole role, size_t binding,
                            const Operand& operand, const DeviceTraits& traits) {
  const size_t colon = argument.find(" : ");
  const bool bare = colon != std::string_view::npos;
  const std::string_view name = argument.substr(0, colon);
  const QuadFormat& format = quad_format(operand.dtype, traits.half);
  const std::string_view type = bare ? argument.substr(colon + 3) : format.memory;
  const bool image = role == OperandRole::ReadImage;

  OperandText result;
  result.is_half = type == "vec4<f16>";
  result.use.writes = role == OperandRole::Written;
  if (image && operand.constant && traits.software) result.use.texels = texels_of(type);
  declare_memory(result.wgsl, name, binding, type, result.use);
  if (!bare) {
    declare_accessors(result.wgsl, name, format, result.use);
  } else if (image) {
    declare_texel(result.wgsl, name, type, result.use.texels);
  }
  return result;
}

}  // namespace highwater
