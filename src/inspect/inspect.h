// What the reports of this room share.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/json.h"
#include "blob/program.h"
#include "gpu/adapters.h"
#include "graph/traits.h"
#include "highwater/inspect.h"
#include "highwater/result.h"
#include "inspect/symbols.h"
#include "runtime/choices.h"

namespace highwater {

// What programs are planned for.
struct Target {
  Choices choices;
  DeviceTraits traits;
  std::optional<gpu::AdapterDescription> adapter;  // none where no device could be opened
  std::string why_none;
};

// One delegate's program, as an object.
void inspect_program(Json& json, Program program, std::span<const InputFacts> facts,
                     const Target& target, const InspectOptions& options);

}  // namespace highwater
