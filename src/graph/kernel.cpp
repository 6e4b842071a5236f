#include "graph/kernel.h"

#include "graph/grid.h"

namespace highwater {
namespace {

// How four consecutive elements of a dtype lie in memory, and how they become a vec4 and back.
struct QuadFormat {
  std::string_view memory;   // type of one quad in the buffer
  std::string_view compute;  // type of one element in a register
  std::string_view load;     // expression: the quad `m` as vec4<compute>
  std::string_view store;    // expression: the vec4 `v` as one quad
  std::string_view at;       // expression: element k (0 to 3) of the quad `@`
};

const QuadFormat& quad_format(DType type) {
  static constexpr QuadFormat kFloat32{"vec4<f32>", "f32", "m", "v", "@[k]"};
  static constexpr QuadFormat kInt32{"vec4<i32>", "i32", "m", "v", "@[k]"};
  static constexpr QuadFormat kFloat16{
      "vec2<u32>", "f32", "vec4<f32>(unpack2x16float(m.x), unpack2x16float(m.y))",
      "vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw))", "unpack2x16float(@[k >> 1u])[k & 1u]"};
  static constexpr QuadFormat kInt8{
      "u32", "i32",
      "(bitcast<vec4<i32>>(vec4<u32>(m) << vec4<u32>(24u, 16u, 8u, 0u)) >> vec4<u32>(24u))",
      "dot(bitcast<vec4<u32>>(v) & vec4<u32>(255u), vec4<u32>(1u, 256u, 65536u, 16777216u))",
      "(bitcast<i32>(@ << (24u - 8u * k)) >> 24u)"};
  static constexpr QuadFormat kUInt8{
      "u32", "i32",
      "bitcast<vec4<i32>>((vec4<u32>(m) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u))",
      kInt8.store, "bitcast<i32>((@ >> (8u * k)) & 255u)"};
  static constexpr QuadFormat kBool{
      "u32", "i32", kUInt8.load,
      "dot(vec4<u32>(v != vec4<i32>(0)), vec4<u32>(1u, 256u, 65536u, 16777216u))", kUInt8.at};
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

void declare_binding(std::string& out, std::string_view name, size_t index, DType type,
                     bool writes) {
  const QuadFormat& f = quad_format(type);
  append(out, text("@group(0) @binding(", index, ") var<storage, ", writes ? "read_write" : "read",
                   "> ", name, ": array<", f.memory, ">;\n"));
  append(out, text("alias ", name, "_t = ", f.compute, ";\n"));
  append(out, text("fn ", name, "_quad(q: u32) -> vec4<", f.compute, "> { let m = ", name,
                   "[q]; return ", f.load, "; }\n"));
  // Names the quad in place, so that a scalar is loaded and not four.
  std::string at(f.at);
  at.replace(at.find('@'), 1, text(name, "[i >> 2u]"));
  append(out, text("fn ", name, "_at(i: u32) -> ", f.compute, " { let k = i & 3u; return ", at,
                   "; }\n"));
  if (!writes) return;
  append(out, text("fn ", name, "_put(q: u32, v: vec4<", f.compute, ">) { ", name,
                   "[q] = ", f.store, "; }\n"));
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

Result<std::string> substitute(std::string_view line, std::span<const Substitution> substitutions) {
  std::string out;
  for (;;) {
    const size_t start = line.find("${");
    if (start == std::string_view::npos) return out.append(line);
    const size_t end = line.find('}', start);
    if (end == std::string_view::npos) return fail("'", line, "' has an open ${");
    const std::string_view wanted = line.substr(start + 2, end - start - 2);
    out.append(line.substr(0, start));
    bool found = false;
    for (const Substitution& s : substitutions) {
      if (s.name != wanted) continue;
      out += s.value;
      found = true;
    }
    if (!found) return fail("nothing to put for ${", wanted, "}");
    line.remove_prefix(end + 1);
  }
}

}  // namespace

Result<KernelText> expand(const KernelSource& source, std::span<const DType> bindings,
                          std::span<const Substitution> substitutions) {
  constexpr std::string_view kInput = "#input ";
  constexpr std::string_view kOutput = "#output ";
  constexpr std::string_view kMain = "#main ";
  KernelText result;
  append(result.wgsl, text("const WG: u32 = ", Grid::kWorkgroupSize, "u;\n"));
  if (source.params_size) {
    append(result.wgsl, "@group(0) @binding(0) var<uniform> params: Params;\n");
  }
  std::string_view rest = source.text;
  while (!rest.empty()) {
    const size_t length = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
    const bool writes = line.starts_with(kOutput);
    if (writes || line.starts_with(kInput)) {
      const size_t index = result.writes.size();
      if (index >= bindings.size()) {
        return fail("kernel ", source.name, " has more bindings than the ", bindings.size(),
                    " given");
      }
      declare_binding(result.wgsl, line.substr(writes ? kOutput.size() : kInput.size()), index + 1,
                      bindings[index], writes);
      result.writes.push_back(writes);
      continue;
    }
    if (line.starts_with(kMain)) {
      append(result.wgsl, entry_point(line.substr(kMain.size())));
      continue;
    }
    auto expanded = substitute(line, substitutions);
    if (!expanded) return expanded.take_error().within(text("kernel ", source.name));
    append(result.wgsl, *expanded);
    append(result.wgsl, '\n');
  }
  if (result.writes.size() != bindings.size()) {
    return fail("kernel ", source.name, " has ", result.writes.size(), " bindings, but ",
                bindings.size(), " were given");
  }
  return result;
}

}  // namespace highwater
