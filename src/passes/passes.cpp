#include "passes/passes.h"

#include <algorithm>

namespace highwater {
namespace {

struct Pass {
  std::string_view name;
  void (*run)(Program&);
};

constexpr Pass kPasses[] = {
    {"rope_tables", &fold_rope_tables},     {"swiglu", &fuse_swiglu},
    {"fake_quantize", &fuse_fake_quantize}, {"equal_views", &merge_equal_views},
    {"linear_swiglu", &fuse_linear_swiglu}, {"shared_input", &share_linear_inputs},
    {"add_rms_norm", &fuse_add_rms_norm},
};

bool is_named(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == name) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

void run_passes(Program& program, std::string_view without) {
  if (is_named(without, "all")) return;
  for (const Pass& pass : kPasses) {
    if (!is_named(without, pass.name)) pass.run(program);
  }
}

}  // namespace highwater
