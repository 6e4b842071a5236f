// What is inside a .pte file, and what the engine would do with it: one JSON document.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "blob/program.h"
#include "gpu/adapters.h"
#include "graph/traits.h"
#include "highwater/result.h"
#include "inspect/symbols.h"
#include "runtime/choices.h"

namespace highwater {

struct InspectOptions {
  std::string method;           // empty for all
  std::vector<std::string> at;  // shapes to look at: "S=37,P=12", or "0.1=37" for dim 1 of input 0
  bool wgsl = false;            // the texts of all kernels, too
};

// What programs are planned for.
struct Target {
  Choices choices;
  DeviceTraits traits;
  std::optional<gpu::AdapterDescription> adapter;  // none where no device could be opened
  std::string why_none;
};

Result<std::string> inspect_file(const std::string& path, const InspectOptions& options);

// The ops that a program may have, each with its schema, its arguments and its limits.
std::string op_table_report();

// One delegate's program, as an object.
void inspect_program(Json& json, Program program, std::span<const InputFacts> facts,
                     const Target& target, const InspectOptions& options);

}  // namespace highwater
