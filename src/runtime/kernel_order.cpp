#include "runtime/kernel_order.h"

#include <algorithm>

#include "graph/live.h"

namespace highwater {
namespace {

// Nobody knows what will be asked first. One item is what each further token is, and a few are a
// prompt or a sentence.
constexpr int64_t kFirstLengths[] = {1, 8};

// A call whose live dims are `length`, or as near to it as they can be, with zeros in it.
class Trial {
 public:
  Trial(const Graph& graph, int64_t length) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const ValueInfo& value = graph.values[graph.inputs[i]];
      if (value.kind != ValueInfo::Kind::Tensor) {
        inputs_.emplace_back(int64_t{0});
        continue;
      }
      Dims dims = value.tensor.dims;
      const auto& told = graph.signature.inputs;
      const bool is_told = i < told.size() && told[i].sizes.size() == dims.rank();
      for (size_t d = 0; d < dims.rank(); ++d) {
        const int64_t least = is_told ? graph.signature.least(told[i].sizes[d]) : 0;
        dims[d] = std::clamp(length, std::min(least, dims[d]), dims[d]);
      }
      zeros_.resize(std::max(zeros_.size(), static_cast<size_t>(dims.numel())));
      inputs_.emplace_back(HostTensor{value.tensor.dtype, dims, nullptr});
    }
    for (Input& input : inputs_) {
      if (auto* tensor = std::get_if<HostTensor>(&input)) tensor->data = zeros_.data();
    }
  }
  std::span<const Input> inputs() const { return inputs_; }

 private:
  std::vector<Input> inputs_;
  std::vector<int64_t> zeros_;  // as wide as any element
};

}  // namespace

std::vector<uint32_t> kernels_first(const Graph& graph) {
  std::vector<uint32_t> order;
  std::vector<bool> is_in(graph.steps.size());
  const auto add = [&](uint32_t step) {
    if (!is_in[step]) order.push_back(step);
    is_in[step] = true;
  };
  const auto add_all = [&](const Live& live) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const Plan::Run& run : live.plan(n).runs()) add(run.step);
    }
  };
  const Live at_bound(graph);
  Live live(graph);
  for (const int64_t length : kFirstLengths) {
    // A program may have no meaning there; what it has is tried when it is called.
    if (live.update(Trial(graph, length).inputs())) add_all(live);
  }
  add_all(at_bound);
  for (uint32_t step = 0; step < graph.steps.size(); ++step) add(step);
  return order;
}

}  // namespace highwater
