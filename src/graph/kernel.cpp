#include "graph/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "graph/grid.h"

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
  return memory == "vec2<u32>" ? Texels::Uint2 : Texels::None;
}

std::string_view texture_type(Texels texels) {
  switch (texels) {
    case Texels::Float4:
      return "texture_2d<f32>";
    case Texels::Sint4:
      return "texture_2d<i32>";
    default:
      return "texture_2d<u32>";
  }
}

void declare_memory(std::string& out, std::string_view name, size_t index, std::string_view type,
                    const OperandUse& use) {
  append(out, text("@group(0) @binding(", index, ") var"));
  if (use.texels != Texels::None) {
    append(out, text(" ", name, ": ", texture_type(use.texels), ";\n"));
  } else {
    append(out, text("<storage, ", use.writes ? "read_write" : "read", "> ", name, ": array<", type,
                     ">;\n"));
  }
}

void declare_texel(std::string& out, std::string_view name, std::string_view type, Texels texels) {
  append(out, text("fn ", name, "_texel(AT: u32) -> ", type, " { return "));
  if (texels == Texels::None) {
    append(out, text(name, "[AT]; }\n"));
  } else {
    append(out, text("textureLoad(", name, ", vec2<u32>(AT % ", kImageWidth, "u, AT / ",
                     kImageWidth, "u), 0)", texels == Texels::Uint2 ? ".xy" : "", "; }\n"));
  }
}

void declare_operand(std::string& out, std::string_view name, size_t index, const QuadFormat& f,
                     const OperandUse& use) {
  declare_memory(out, name, index, f.memory, use);
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

// The other half of Grid: numbers the workgroups that it may have folded.
constexpr std::string_view kGroup = "(group_id.y * group_count.x + group_id.x)";

std::string main_function(std::string_view workgroup_size, std::string_view lane) {
  return text("@compute @workgroup_size(", workgroup_size,
              ") fn main(@builtin(workgroup_id) group_id: vec3<u32>, "
              "@builtin(num_workgroups) group_count: vec3<u32>, @builtin(",
              lane, ") local_id: u32) {\n");
}

struct Names {
  std::string_view first;
  std::string_view second;  // may be empty

  explicit Names(std::string_view both) : first(both.substr(0, both.find(' '))) {
    if (first.size() < both.size()) second = both.substr(first.size() + 1);
  }
};

std::string entry_point(const Names& names) {
  std::string out = main_function("WG", "local_invocation_index");
  if (names.second.empty()) {
    return out + text("let ", names.first, " = ", kGroup, " * WG + local_id;\n");
  }
  return out + text("let ", names.first, " = ", kGroup, "; let ", names.second, " = local_id;\n");
}

// A workgroup is one subgroup, so that the two number their invocations alike.
std::string entry_point_by_lanes(const Names& names, std::string_view lanes) {
  if (lanes == "1") return entry_point(Names(names.first)) + text("let ", names.second, " = 0u;\n");
  return main_function(lanes, "subgroup_invocation_id") +
         text("let ", names.first, " = ", kGroup, "; let ", names.second, " = local_id;\n");
}

Result<std::string_view> lookup(std::string_view name,
                                std::span<const Substitution> substitutions) {
  // Later ones count: the index of an inner #unroll may hide that of an outer one.
  for (size_t i = substitutions.size(); i-- > 0;) {
    if (substitutions[i].name == name) return std::string_view(substitutions[i].value);
  }
  return fail("nothing to put for ${", name, "}");
}

Result<std::string> substitute(std::string_view line, std::span<const Substitution> substitutions) {
  std::string out;
  for (;;) {
    const size_t start = line.find("${");
    if (start == std::string_view::npos) return out.append(line);
    const size_t end = line.find('}', start);
    if (end == std::string_view::npos) return fail("'", line, "' has an open ${");
    const std::string_view wanted = line.substr(start + 2, end - start - 2);
    out.append(line.substr(0, start));
    // A value may name others: an expression that is repeated with an index, say.
    HW_TRY(const std::string_view value, lookup(wanted, substitutions));
    HW_TRY(const std::string expanded, substitute(value, substitutions));
    out += expanded;
    line.remove_prefix(end + 1);
  }
}

std::string_view take_line(std::string_view& text) {
  const size_t length = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return line;
}

// The lines up to the #end that closes an #unroll, which is taken as well.
std::string_view take_body(std::string_view& text) {
  const std::string_view all = text;
  int depth = 1;
  while (!text.empty()) {
    const size_t before = all.size() - text.size();
    const std::string_view line = take_line(text);
    if (line.starts_with("#unroll ")) ++depth;
    if (line == "#end" && --depth == 0) return all.substr(0, before);
  }
  return all;
}

class Expansion {
 public:
  Expansion(const KernelSource& source, const DeviceTraits& traits,
            std::span<const Operand> operands)
      : source_(source), traits_(traits), operands_(operands) {}

  Result<KernelText> run(std::span<const Substitution> substitutions) {
    append(result_.wgsl, text("const WG: u32 = ", Grid::kWorkgroupSize, "u;\n"));
    HW_CHECK(expand_lines(source_.text, {substitutions.begin(), substitutions.end()}));
    declare_params();
    if (result_.uses.size() != operands_.size()) {
      return fail("it has ", result_.uses.size(), " bindings, but ", operands_.size(),
                  " were given");
    }
    if (uses_subgroups_ && traits_.enable_subgroups) {
      result_.wgsl.insert(0, "enable subgroups;\n");
    }
    if (uses_half_) result_.wgsl.insert(0, "enable f16;\n");
    return std::move(result_);
  }

 private:
  using Substitutions = std::vector<Substitution>;

  // Params in storage are copied into registers first, or a loop would load them in every round. A
  // private variable serves the functions of the kernel too, but is not known to be the same for
  // all invocations; where barriers or subgroups demand that, the copy is local to the entry point.
  void begin_main(std::string_view head, bool must_be_uniform) {
    append(result_.wgsl, head);
    if (!source_.params_size || traits_.params_space() == ParamsSpace::Uniform) return;
    copies_params_ = !must_be_uniform;
    append(result_.wgsl, copies_params_ ? "params = params_memory;\n" : "let params = params;\n");
  }

  void declare_params() {
    if (!source_.params_size) return;
    const bool storage = traits_.params_space() == ParamsSpace::Storage;
    append(result_.wgsl, text("@group(0) @binding(0) var<", storage ? "storage, read" : "uniform",
                              "> ", copies_params_ ? "params_memory" : "params", ": Params;\n"));
    if (copies_params_) append(result_.wgsl, "var<private> params: Params;\n");
  }

  Status expand_lines(std::string_view rest, const Substitutions& substitutions) {
    while (!rest.empty()) {
      HW_TRY(const std::string line, substitute(take_line(rest), substitutions));
      if (const auto argument = directive(line, "#unroll ")) {
        HW_CHECK(unroll(*argument, take_body(rest), substitutions));
      } else if (const auto part = directive(line, "#include ")) {
        HW_TRY(const std::string_view lines, lookup(*part, substitutions));
        HW_CHECK(expand_lines(lines, substitutions));
      } else if (const auto input = directive(line, "#input ")) {
        HW_CHECK(bind(*input, Use::Read));
      } else if (const auto image = directive(line, "#image ")) {
        HW_CHECK(bind(*image, Use::ReadImage));
      } else if (const auto output = directive(line, "#output ")) {
        HW_CHECK(bind(*output, Use::Write));
      } else if (const auto names = directive(line, "#main ")) {
        const Names of(*names);
        begin_main(entry_point(of), !of.second.empty());
      } else if (const auto by_lanes = directive(line, "#lanes ")) {
        HW_TRY(const std::string_view lanes, lookup("LANES", substitutions));
        uses_subgroups_ = lanes != "1";
        begin_main(entry_point_by_lanes(Names(*by_lanes), lanes), uses_subgroups_);
      } else {
        append(result_.wgsl, text(line, '\n'));
      }
    }
    return {};
  }

  static std::optional<std::string_view> directive(std::string_view line, std::string_view word) {
    if (!line.starts_with(word)) return std::nullopt;
    return line.substr(word.size());
  }

  Status unroll(std::string_view argument, std::string_view body, Substitutions substitutions) {
    const size_t space = argument.find(' ');
    if (space == std::string_view::npos) return fail("'#unroll ", argument, "' has no count");
    const std::string name(argument.substr(0, space));
    const int count = std::atoi(std::string(argument.substr(space + 1)).c_str());
    substitutions.push_back({name, ""});
    for (int i = 0; i < count; ++i) {
      substitutions.back().value = std::to_string(i);
      HW_CHECK(expand_lines(body, substitutions));
    }
    return {};
  }

  enum class Use { Read, ReadImage, Write };

  Status bind(std::string_view argument, Use how) {
    const size_t index = result_.uses.size();
    if (index >= operands_.size()) {
      return fail("it has more bindings than the ", operands_.size(), " given");
    }
    const Operand& operand = operands_[index];
    const size_t colon = argument.find(" : ");
    const std::string_view name = argument.substr(0, colon);
    const QuadFormat& format = quad_format(operand.dtype, traits_.half);
    const std::string_view type =
        colon == std::string_view::npos ? format.memory : argument.substr(colon + 3);
    OperandUse use;
    use.writes = how == Use::Write;
    if (how == Use::ReadImage && operand.constant && traits_.software) use.texels = texels_of(type);
    result_.uses.push_back(use);
    uses_half_ |= type == "vec4<f16>";
    if (colon == std::string_view::npos) {
      declare_operand(result_.wgsl, name, index + 1, format, use);
    } else {
      declare_memory(result_.wgsl, name, index + 1, type, use);
      if (how == Use::ReadImage) declare_texel(result_.wgsl, name, type, use.texels);
    }
    return {};
  }

  const KernelSource& source_;
  const DeviceTraits& traits_;
  std::span<const Operand> operands_;
  bool uses_subgroups_ = false;
  bool uses_half_ = false;
  bool copies_params_ = false;
  KernelText result_;
};

}  // namespace

Result<KernelText> expand(const KernelSource& source, const DeviceTraits& traits,
                          std::span<const Operand> operands,
                          std::span<const Substitution> substitutions) {
  auto result = Expansion(source, traits, operands).run(substitutions);
  if (!result) return result.take_error().within(text("kernel ", source.name));
  return result;
}

}  // namespace highwater
