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

const QuadFormat& quad_format(DType type) {
  static constexpr QuadFormat kFloat32{"vec4<f32>", "f32", "MEM", "VEC", "@[LANE]"};
  static constexpr QuadFormat kInt32{"vec4<i32>", "i32", "MEM", "VEC", "@[LANE]"};
  static constexpr QuadFormat kFloat16{"vec2<u32>", "f32",
                                       "vec4<f32>(unpack2x16float(MEM.x), unpack2x16float(MEM.y))",
                                       "vec2<u32>(pack2x16float(VEC.xy), pack2x16float(VEC.zw))",
                                       "unpack2x16float(@[LANE >> 1u])[LANE & 1u]"};
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
      return kFloat16;
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

void declare_array(std::string& out, std::string_view name, size_t index, std::string_view type,
                   bool writes) {
  append(out, text("@group(0) @binding(", index, ") var<storage, ", writes ? "read_write" : "read",
                   "> ", name, ": array<", type, ">;\n"));
}

void declare_binding(std::string& out, std::string_view name, size_t index, DType type,
                     bool writes) {
  const QuadFormat& f = quad_format(type);
  declare_array(out, name, index, f.memory, writes);
  append(out, text("alias ", name, "_t = ", f.compute, ";\n"));
  // Capitals, because a binding may have any other name.
  append(out, text("fn ", name, "_quad(AT: u32) -> vec4<", f.compute, "> { let MEM = ", name,
                   "[AT]; return ", f.load, "; }\n"));
  // Names the quad in place, so that a scalar is loaded and not four.
  std::string at(f.at);
  at.replace(at.find('@'), 1, text(name, "[AT >> 2u]"));
  append(out, text("fn ", name, "_at(AT: u32) -> ", f.compute, " { let LANE = AT & 3u; return ", at,
                   "; }\n"));
  if (!writes) return;
  append(out, text("fn ", name, "_put(AT: u32, VEC: vec4<", f.compute, ">) { ", name,
                   "[AT] = ", f.store, "; }\n"));
}

// The other half of Grid: numbers the workgroups that it may have folded.
std::string entry_point(std::string_view names) {
  constexpr std::string_view kGroup = "(group_id.y * group_count.x + group_id.x)";
  const size_t space = names.find(' ');
  std::string out =
      "@compute @workgroup_size(WG) fn main(@builtin(workgroup_id) group_id: vec3<u32>, "
      "@builtin(num_workgroups) group_count: vec3<u32>, "
      "@builtin(local_invocation_index) local_id: u32) {\n";
  if (space == std::string_view::npos) {
    return out + text("let ", names, " = ", kGroup, " * WG + local_id;\n");
  }
  return out + text("let ", names.substr(0, space), " = ", kGroup, "; let ",
                    names.substr(space + 1), " = local_id;\n");
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
  Expansion(const KernelSource& source, ParamsSpace params, std::span<const DType> bindings)
      : source_(source), params_(params), bindings_(bindings) {}

  Result<KernelText> run(std::span<const Substitution> substitutions) {
    append(result_.wgsl, text("const WG: u32 = ", Grid::kWorkgroupSize, "u;\n"));
    if (source_.params_size) {
      append(result_.wgsl, text("@group(0) @binding(0) var<",
                                params_ == ParamsSpace::Uniform ? "uniform" : "storage, read",
                                "> params: Params;\n"));
    }
    HW_CHECK(expand_lines(source_.text, {substitutions.begin(), substitutions.end()}));
    if (result_.writes.size() != bindings_.size()) {
      return fail("it has ", result_.writes.size(), " bindings, but ", bindings_.size(),
                  " were given");
    }
    return std::move(result_);
  }

 private:
  using Substitutions = std::vector<Substitution>;

  Status expand_lines(std::string_view rest, const Substitutions& substitutions) {
    while (!rest.empty()) {
      HW_TRY(const std::string line, substitute(take_line(rest), substitutions));
      if (const auto argument = directive(line, "#unroll ")) {
        HW_CHECK(unroll(*argument, take_body(rest), substitutions));
      } else if (const auto part = directive(line, "#include ")) {
        HW_TRY(const std::string_view lines, lookup(*part, substitutions));
        HW_CHECK(expand_lines(lines, substitutions));
      } else if (const auto input = directive(line, "#input ")) {
        HW_CHECK(bind(*input, false));
      } else if (const auto output = directive(line, "#output ")) {
        HW_CHECK(bind(*output, true));
      } else if (const auto names = directive(line, "#main ")) {
        append(result_.wgsl, entry_point(*names));
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

  Status bind(std::string_view argument, bool writes) {
    const size_t index = result_.writes.size();
    if (index >= bindings_.size()) {
      return fail("it has more bindings than the ", bindings_.size(), " given");
    }
    result_.writes.push_back(writes);
    const size_t colon = argument.find(" : ");
    if (colon == std::string_view::npos) {
      declare_binding(result_.wgsl, argument, index + 1, bindings_[index], writes);
    } else {
      declare_array(result_.wgsl, argument.substr(0, colon), index + 1, argument.substr(colon + 3),
                    writes);
    }
    return {};
  }

  const KernelSource& source_;
  ParamsSpace params_;
  std::span<const DType> bindings_;
  KernelText result_;
};

}  // namespace

Result<KernelText> expand(const KernelSource& source, ParamsSpace params,
                          std::span<const DType> bindings,
                          std::span<const Substitution> substitutions) {
  auto result = Expansion(source, params, bindings).run(substitutions);
  if (!result) return result.take_error().within(text("kernel ", source.name));
  return result;
}

}  // namespace highwater
