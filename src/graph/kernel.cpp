#include "graph/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "graph/grid.h"
#include "graph/operand_text.h"
#include "wgsl/over_lanes_alone.h"
#include "wgsl/over_lanes_subgroup.h"
#include "wgsl/over_lanes_workgroup.h"

namespace highwater {
namespace {

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

// How many invocations share an item, and by what they do.
struct Sharing {
  int lanes = Grid::kWorkgroupSize;

  bool alone() const { return lanes == 1; }
  bool by_workgroup() const { return lanes == Grid::kWorkgroupSize; }
  bool by_subgroup() const { return !alone() && !by_workgroup(); }

  std::string_view merging() const {
    if (alone()) return wgsl::over_lanes_alone::kSource.text;
    return by_workgroup() ? wgsl::over_lanes_workgroup::kSource.text
                          : wgsl::over_lanes_subgroup::kSource.text;
  }
};

std::string entry_point(const Names& names, const Sharing& sharing) {
  if (sharing.by_workgroup()) return entry_point(names);
  if (sharing.alone()) {
    return entry_point(Names(names.first)) + text("let ", names.second, " = 0u;\n");
  }
  // A workgroup is one subgroup, so that the two number their invocations alike.
  return main_function(text(sharing.lanes), "subgroup_invocation_id") +
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

// The name of a hole that is all there is on its line.
std::optional<std::string_view> lone_hole(std::string_view line) {
  const size_t start = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(start);
  const bool is_one = line.starts_with("${") && line.find('}') == line.size() - 1;
  return is_one ? std::optional(line.substr(2, line.size() - 3)) : std::nullopt;
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
  // private variable serves the functions of the kernel, but is not known to be the same for all
  // invocations; where barriers or subgroups demand that, the entry point has a copy of its own.
  void begin_main(std::string_view head, bool must_be_uniform) {
    append(result_.wgsl, head);
    if (!source_.params_size || traits_.params_space() == ParamsSpace::Uniform) return;
    copies_params_ = true;
    append(result_.wgsl, "params = params_memory;\n");
    if (must_be_uniform) append(result_.wgsl, "let params = params_memory;\n");
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
      const std::string_view source_line = take_line(rest);
      if (const auto name = lone_hole(source_line)) {
        HW_TRY(const std::string_view lines, lookup(*name, substitutions));
        HW_CHECK(expand_lines(lines, substitutions));
        continue;
      }
      HW_TRY(const std::string line, substitute(source_line, substitutions));
      if (const auto argument = directive(line, "#unroll ")) {
        HW_CHECK(unroll(*argument, take_body(rest), substitutions));
      } else if (const auto merged = directive(line, "#over_lanes ")) {
        HW_CHECK(declare_over_lanes(*merged, substitutions));
      } else if (const auto input = directive(line, "#input ")) {
        HW_CHECK(bind(*input, OperandRole::Read));
      } else if (const auto image = directive(line, "#image ")) {
        HW_CHECK(bind(*image, OperandRole::ReadImage));
      } else if (const auto output = directive(line, "#output ")) {
        HW_CHECK(bind(*output, OperandRole::Written));
      } else if (const auto names = directive(line, "#main ")) {
        const Names of(*names);
        begin_main(entry_point(of), !of.second.empty());
      } else if (const auto by_lanes = directive(line, "#lanes ")) {
        HW_TRY(const std::string_view lanes, lookup("LANES", substitutions));
        const Sharing sharing{number(lanes)};
        uses_subgroups_ = sharing.by_subgroup();
        begin_main(entry_point(Names(*by_lanes), sharing), !sharing.alone());
      } else {
        append(result_.wgsl, text(line, '\n'));
      }
    }
    return {};
  }

  static int number(std::string_view digits) { return std::atoi(std::string(digits).c_str()); }

  static std::optional<std::string_view> directive(std::string_view line, std::string_view word) {
    if (!line.starts_with(word)) return std::nullopt;
    return line.substr(word.size());
  }

  Status unroll(std::string_view argument, std::string_view body, Substitutions substitutions) {
    const size_t space = argument.find(' ');
    if (space == std::string_view::npos) return fail("'#unroll ", argument, "' has no count");
    const std::string_view name = argument.substr(0, space);
    const int count = number(argument.substr(space + 1));
    substitutions.push_back({name, ""});
    for (int i = 0; i < count; ++i) {
      substitutions.back().value = std::to_string(i);
      HW_CHECK(expand_lines(body, substitutions));
    }
    return {};
  }

  // A kernel by workgroups alone need not say so.
  Status declare_over_lanes(std::string_view argument, Substitutions substitutions) {
    const Names name(argument);
    const Names type(name.second);
    if (type.second.empty())
      return fail("'#over_lanes ", argument, "' is not a name, a type and how");
    const auto lanes = lookup("LANES", substitutions);
    const Sharing sharing = lanes ? Sharing{number(*lanes)} : Sharing{};
    substitutions.push_back({"NAME", std::string(name.first)});
    substitutions.push_back({"T", std::string(type.first)});
    substitutions.push_back({"MERGE", std::string(type.second)});
    substitutions.push_back({"OTHER_LANES", std::to_string(sharing.lanes - 1)});
    return expand_lines(sharing.merging(), substitutions);
  }

  Status bind(std::string_view argument, OperandRole how) {
    const size_t index = result_.uses.size();
    if (index >= operands_.size()) {
      return fail("it has more bindings than the ", operands_.size(), " given");
    }
    HW_TRY(const OperandText operand,
           declare_operand(argument, how, next_binding_, operands_[index], traits_));
    append(result_.wgsl, operand.wgsl);
    result_.uses.push_back(operand.use);
    next_binding_ += operand.use.parts;
    uses_half_ |= operand.is_half;
    return {};
  }

  const KernelSource& source_;
  const DeviceTraits& traits_;
  std::span<const Operand> operands_;
  size_t next_binding_ = 1;  // after the params
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
