#include "passes/q8_conv.h"

namespace highwater {
namespace {

struct Names {
  std::string_view theirs;
  std::string_view ours;
  bool is_depthwise = false;
};
constexpr Names kOps[] = {
    {"et_vk.q8ta_conv2d.default", "hw.q8ta_conv2d"},
    {"et_vk.q8ta_conv2d_pw.default", "hw.q8ta_conv2d_pw"},
    {"et_vk.q8ta_conv2d_dw.default", "hw.q8ta_conv2d_dw", true},
    {"et_vk.q8ta_conv2d_transposed.default", "hw.q8ta_conv2d_transposed"},
};

}  // namespace

std::vector<Named> Q8ConvCall::arguments() const {
  std::vector<Named> result;
  for (const Argument& argument : call.schema().arguments()) {
    result.push_back({argument.name, call[argument.name]});
  }
  return result;
}

std::optional<Q8ConvCall> as_q8_conv(const Rewriter& r, size_t i) {
  for (const Names& op : kOps) {
    auto call = r.call(i, op.theirs);
    if (!call) call = r.call(i, op.ours);
    if (call) return Q8ConvCall{*call, op.ours, op.is_depthwise};
  }
  return {};
}

}  // namespace highwater
