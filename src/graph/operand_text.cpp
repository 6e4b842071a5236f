#include "graph/operand_text.h"

#include "base/checked.h"

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

uint64_t bytes_of_item(std::string_view type) {
  if (type == "vec4<f32>" || type == "vec4<i32>" || type == "vec4<u32>") return 16;
  return type == "vec2<u32>" || type == "vec4<f16>" ? 8 : 4;
}

// An operand in the kernel's text. An item is what its memory is an array of.
struct Declared {
  std::string_view name;
  std::string_view item;
  OperandUse use;
  uint64_t part_items = 0;  // where it is in parts

  bool is_image() const { return use.texels != Texels::None; }
  bool is_whole() const { return use.parts == 1; }
  std::string part(size_t i) const { return is_whole() ? std::string(name) : text(name, "_", i); }
};

void declare_memory(std::string& out, const Declared& d, size_t binding) {
  for (size_t i = 0; i < d.use.parts; ++i) {
    append(out, text("@group(0) @binding(", binding + i, ") var"));
    if (d.is_image()) {
      append(out,
             text(" ", d.name, ": texture_storage_2d<", texel_format(d.use.texels), ", read>;\n"));
    } else {
      append(out, text("<storage, ", d.use.writes ? "read_write" : "read", "> ", d.part(i),
                       ": array<", d.item, ">;\n"));
    }
  }
}

// A case for each part; what lies behind the last is as far outside of it as it would be outside of
// the whole.
void declare_choice(std::string& out, const Declared& d, std::string_view act) {
  append(out, text("  switch AT / ", d.part_items, "u {\n"));
  for (size_t i = 0; i < d.use.parts; ++i) {
    std::string line(act);
    line.replace(line.find('@'), 1, text(d.part(i), "[AT - ", i * d.part_items, "u]"));
    const std::string which = i + 1 < d.use.parts ? text("case ", i, "u") : "default";
    append(out, text("    ", which, ": { ", line, " }\n"));
  }
  append(out, "  }\n}\n");
}

void declare_item(std::string& out, const Declared& d) {
  append(out, text("fn ", d.name, "_item(AT: u32) -> ", d.item, " {"));
  if (d.is_image()) {
    const std::string_view used = d.use.texels == Texels::Uint2   ? ".xy"
                                  : d.use.texels == Texels::Uint1 ? ".x"
                                                                  : "";
    append(out, text(" return textureLoad(", d.name, ", vec2<u32>(AT % ", kImageWidth, "u, AT / ",
                     kImageWidth, "u))", used, "; }\n"));
  } else if (d.is_whole()) {
    append(out, text(" return ", d.name, "[AT]; }\n"));
  } else {
    append(out, "\n");
    declare_choice(out, d, "return @;");
  }
}

void declare_set(std::string& out, const Declared& d) {
  append(out, text("fn ", d.name, "_set(AT: u32, ITEM: ", d.item, ") {"));
  if (d.is_whole()) {
    append(out, text(" ", d.name, "[AT] = ITEM; }\n"));
  } else {
    append(out, "\n");
    declare_choice(out, d, "@ = ITEM;");
  }
}

void declare_quads(std::string& out, const Declared& d, const QuadFormat& f) {
  const std::string_view name = d.name;
  append(out, text("alias ", name, "_t = ", f.compute, ";\n"));
  // Names the quad in place where it can, so that a scalar is loaded and not four.
  const bool in_place = !d.is_image() && d.is_whole();
  if (!in_place) declare_item(out, d);
  const std::string quad = text(name, in_place ? "[AT" : "_item(AT");
  const std::string_view close = in_place ? "]" : ")";
  // Capitals, because an operand may have any other name.
  append(out, text("fn ", name, "_quad(AT: u32) -> vec4<", f.compute, "> { let MEM = ", quad, close,
                   "; return ", f.load, "; }\n"));
  std::string at(f.at);
  at.replace(at.find('@'), 1, text(quad, " >> 2u", close));
  append(out, text("fn ", name, "_at(AT: u32) -> ", f.compute, " { let LANE = AT & 3u; return ", at,
                   "; }\n"));
  if (!d.use.writes) return;
  if (!in_place) declare_set(out, d);
  append(out, text("fn ", name, "_put(AT: u32, VEC: vec4<", f.compute, ">) { ", name,
                   in_place ? text("[AT] = ", f.store) : text("_set(AT, ", f.store, ")"), "; }\n"));
}

}  // namespace

Result<OperandText> declare_operand(std::string_view argument, OperandRole role, size_t binding,
                                    const Operand& operand, const DeviceTraits& traits) {
  const size_t colon = argument.find(" : ");
  const bool bare = colon != std::string_view::npos;
  const std::string_view name = argument.substr(0, colon);
  const QuadFormat& format = quad_format(operand.dtype, traits.half);
  const std::string_view type = bare ? argument.substr(colon + 3) : format.memory;
  const bool is_atomic = type.starts_with("atomic<");

  Declared d{name, type, {.writes = role == OperandRole::Written}};
  if (role == OperandRole::ReadImage && operand.constant && traits.software) {
    d.use.texels = texels_of(type);
  }
  if (!d.is_image() && operand.bytes > traits.binding_bytes) {
    if (is_atomic) {
      return fail("'", name, "' has ", operand.bytes, " bytes, and one binding shows at most ",
                  traits.binding_bytes);
    }
    d.use.parts = static_cast<uint32_t>(ceil_div(operand.bytes, traits.binding_bytes));
    d.part_items = traits.binding_bytes / bytes_of_item(type);
  }
  OperandText result{{}, d.use, type == "vec4<f16>"};
  declare_memory(result.wgsl, d, binding);
  if (!bare) {
    declare_quads(result.wgsl, d, format);
  } else if (!is_atomic) {
    declare_item(result.wgsl, d);
    if (d.use.writes) declare_set(result.wgsl, d);
  }
  return result;
}

}  // namespace highwater
