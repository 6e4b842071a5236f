#include "passes/passes.h"

#include <algorithm>

namespace highwater {
namespace {

struct Pass {
  std::string_view name;
  void (*run)(Program&);
};

constexpr Pass kPasses[] = {
    {"rope_tables", &fold_rope_tables},
    {"rope_cache", &fuse_rope_cache},
    {"swiglu", &fuse_swiglu},
    {"fake_quantize", &fuse_fake_quantize},
    {"equal_views", &merge_equal_views},
    {"linear_swiglu", &fuse_linear_swiglu},
    {"shared_input", &share_linear_inputs},
    {"linear_residual", &fuse_linear_residual},
    {"add_rms_norm", &fuse_add_rms_norm},
    {"linear_input", &fuse_linear_input},
    {"attention", &fuse_attention},
    {"attention_layout", &attend_in_place},
    {"conv_epilogue", &fuse_conv_epilogue},
    {"linear_views", &drop_linear_views},
    {"linear_epilogue", &fuse_linear_epilogue},
    {"q8_conv_activation", &fuse_q8_conv_activation},
    {"channels_last", &keep_channels_last},
};

constexpr std::string_view kAll = "all";

// The first name of a list, which loses it.
std::string_view take_name(std::string_view& list) {
  const size_t comma = std::min(list.find(','), list.size());
  const std::string_view name = list.substr(0, comma);
  list.remove_prefix(std::min(comma + 1, list.size()));
  return name;
}

bool is_named(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    if (take_name(list) == name) return true;
  }
  return false;
}

}  // namespace

Status check_pass_names(std::string_view without) {
  while (!without.empty()) {
    const std::string_view name = take_name(without);
    const auto is_name = [&](const Pass& pass) { return pass.name == name; };
    if (name == kAll || std::any_of(std::begin(kPasses), std::end(kPasses), is_name)) continue;
    std::string names;
    for (const Pass& pass : kPasses) names += text(pass.name, ", ");
    return fail("there is no pass '", name, "' to leave out; there are ", names, "and '", kAll,
                "' for all of them");
  }
  return {};
}

void run_passes(Program& program, std::string_view without) {
  if (is_named(without, kAll)) return;
  for (const Pass& pass : kPasses) {
    if (!is_named(without, pass.name)) pass.run(program);
  }
}

}  // namespace highwater
