// What is inside a .pte file and what would be run of it, which ops can run, and on what: each as a
// JSON text. Of the library highwater::tools.
#pragma once

#include <string>
#include <vector>

#include "highwater/export.h"
#include "highwater/file.h"
#include "highwater/result.h"

namespace highwater {

struct InspectOptions {
  std::string method;           // empty for all
  std::vector<std::string> at;  // shapes to look at: "S=37,P=12", or "0.1=37" for dim 1 of input 0
  bool wgsl = false;            // the texts of all kernels, too
};

// The methods of a file, and what the planner makes of them at which live shapes. Nothing is run.
HIGHWATER_API Result<std::string> inspect(const File& file, const InspectOptions& options = {});

// All ops that can run, each with its name, schema, arguments and limits.
HIGHWATER_API std::string supported_ops();

// The adapters of this machine with their features and limits, in the order of HIGHWATER_ADAPTER.
HIGHWATER_API Result<std::string> devices();

}  // namespace highwater
