// What a .pte file holds, as far as it matters before loading it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "highwater/export.h"
#include "highwater/host_tensor.h"
#include "highwater/result.h"

namespace highwater {

// What a method takes, as far as the file says.
struct InputSummary {
  std::string name;            // empty if it is not known
  std::vector<int64_t> least;  // the smallest dims of a tensor; empty if they are not known
};

struct MethodSummary {
  std::string name;
  std::vector<std::string> delegates;  // the backends that it calls, one for each call
  std::vector<std::string> cpu_ops;    // ops that are not delegated, one for each call
  std::vector<InputSummary> inputs;
  std::vector<int64_t> integers;  // what a method gives that computes nothing: metadata
};

HIGHWATER_API Result<std::vector<MethodSummary>> summarize(const std::string& path);

// Holds calls of a method to what it was exported for, where another runtime runs it. A Session
// does so by itself.
class HIGHWATER_API CallCheck {
 public:
  static Result<std::unique_ptr<CallCheck>> open(const std::string& path, std::string_view method);
  ~CallCheck();

  // Looks at the dims of tensors and at integers; at nothing else.
  Status check(std::span<const Input> inputs);

 private:
  struct State;
  explicit CallCheck(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace highwater
