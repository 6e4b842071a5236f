#include "fuzz/promises.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "graph/graph.h"
#include "graph/live.h"
#include "passes/passes.h"
#include "runtime/constants.h"

namespace highwater::fuzz {
namespace {

constexpr size_t kMostElements = 1 << 16;  // of an input, and bytes of a constant
constexpr int kCalls = 4;

Status check_buffers(const Graph& graph) {
  for (const StepDecl& step : graph.steps) {
    if (uint64_t{step.params_at} + step.params_size > graph.params_size) {
      return fail("params of ", step.name, " end past their arena");
    }
    for (const StepBinding& b : step.bindings) {
      if (b.memory >= graph.buffers.size()) return fail(step.name, " binds no buffer");
      const TensorDecl& t = graph.values[b.value].tensor;
      const uint64_t bytes = static_cast<uint64_t>(t.dims.numel()) * byte_size(t.device_dtype());
      if (bytes > graph.buffers[b.memory].size) {
        return fail(step.name, " binds ", graph.describe(b.value), " to a buffer of ",
                    graph.buffers[b.memory].size, " bytes");
      }
    }
  }
  for (ValueId id : graph.outputs) {
    const ValueInfo& output = graph.values[id];
    if (output.kind == ValueInfo::Kind::Tensor &&
        graph.values[output.root].buffer >= graph.buffers.size()) {
      return fail("output ", graph.describe(id), " has no buffer");
    }
  }
  return {};
}

// Into memory of just the buffer's size, so that the sanitizers see a write past it.
void fill_constants(const Graph& graph, const Program& program, const ConstantSource& source) {
  for (const BufferDecl& buffer : graph.buffers) {
    if (buffer.constant == kNoValue || buffer.size > kMostElements) continue;
    const auto memory = std::make_unique<std::byte[]>(buffer.size);
    // At once, and the second half by itself.
    const std::span all(memory.get(), static_cast<size_t>(buffer.size));
    const size_t half = all.size() / 32 * 16;
    (void)fill_constant(program, source, graph.values[buffer.constant], 0, all);
    (void)fill_constant(program, source, graph.values[buffer.constant], half, all.subspan(half));
  }
}

class Calls {
 public:
  Calls(const Graph& graph, Script& script)
      : graph_(graph), live_(graph), script_(script), elements_(kMostElements) {}

  Status make_one() {
    const Held before = held();
    const std::vector<Input> inputs = make_inputs();
    const Status status = live_.update(inputs);
    if (!status) {
      if (status.error().message().empty()) return fail("a call was refused without a word");
      return held() == before ? Status() : fail("a refused call left something behind");
    }
    HW_CHECK(check_dims());
    HW_CHECK(check_runs());
    return live_.check_settled();
  }

 private:
  // What a refused call must leave as it was.
  struct Held {
    std::vector<Dims> dims;
    std::vector<int64_t> scalars;
    std::vector<std::byte> params;
    bool operator==(const Held&) const = default;
  };

  Held held() const {
    Held all;
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      all.dims.push_back(live_.shapes()[Tensor{id}]);
      all.scalars.push_back(live_.shapes()[Scalar{id}]);
    }
    all.params.assign(live_.params().begin(), live_.params().end());
    return all;
  }

  std::vector<Input> make_inputs() {
    // Elements that plans may read are at the front.
    for (size_t i = 0; i < 4; ++i) elements_[i] = script_.integer();
    std::vector<Input> inputs;
    for (ValueId id : graph_.inputs) {
      const ValueInfo& value = graph_.values[id];
      if (value.kind == ValueInfo::Kind::Tensor) {
        const DType dtype = is_float(value.tensor.dtype) ? value.tensor.dtype : DType::Int64;
        inputs.emplace_back(HostTensor{dtype, live_dims(value.tensor.dims), elements_.data()});
      } else {
        inputs.emplace_back(script_.integer());
      }
    }
    return inputs;
  }

  // At the bound, below it, and now and then above.
  Dims live_dims(const Dims& bound) {
    Dims dims = bound;
    for (size_t i = 0; i < dims.rank(); ++i) {
      if (script_.one_in(2)) {
        dims[i] = static_cast<int64_t>(script_.below(std::min<uint64_t>(bound[i], 1000) + 2));
      }
    }
    if (dims.numel() <= static_cast<int64_t>(kMostElements)) return dims;
    for (size_t i = 0; i < dims.rank(); ++i) dims[i] = std::min<int64_t>(dims[i], 4);
    return dims;
  }

  Status check_dims() const {
    for (ValueId id = 0; id < graph_.values.size(); ++id) {
      if (graph_.values[id].kind != ValueInfo::Kind::Tensor) continue;
      const Dims& live = live_.shapes()[Tensor{id}];
      const Dims& bound = graph_.values[id].tensor.dims;
      bool fits = live.rank() == bound.rank();
      for (size_t i = 0; fits && i < live.rank(); ++i) fits = live[i] >= 0 && live[i] <= bound[i];
      if (!fits) return fail(graph_.describe(id), " has the live dims ", live);
    }
    return {};
  }

  Status check_runs() const {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      for (const Plan::Run& run : live_.plan(n).runs()) {
        if (run.step < node.first_step || run.step >= node.end_step) {
          return fail(node.name, " runs a step of another");
        }
        if (std::max(run.grid.x, run.grid.y) > Grid::kMaxPerDimension) {
          return fail(node.name, " runs a grid of ", run.grid.x, " by ", run.grid.y);
        }
        const auto params = live_.plan(n).params(run);
        const StepDecl& step = graph_.steps[run.step];
        if (params.size() > step.params_size || std::memcmp(live_.params().data() + step.params_at,
                                                            params.data(), params.size()) != 0) {
          return fail(node.name, " runs ", step.name, " with params that are not its plan's");
        }
      }
    }
    return {};
  }

  const Graph& graph_;
  Live live_;
  Script& script_;
  std::vector<int64_t> elements_;
};

DeviceTraits pick_traits(Script& script) {
  DeviceTraits traits;
  traits.software = script.one_in(2);
  traits.lanes = script.one_in(2) ? 8 : 1;
  traits.half = !traits.software && script.one_in(2);
  if (script.one_in(2)) traits.most_rounds = DeviceTraits::kAnyRounds;
  return traits;
}

}  // namespace

Status check_promises(Program program, const ConstantSource& constants, Script& script) {
  const DeviceTraits traits = pick_traits(script);
  if (!script.one_in(4)) run_passes(program);
  if (script.one_in(4)) halve_caches(program);
  const auto graph = Graph::build(program, traits);
  if (!graph) {
    return graph.error().message().empty() ? fail("a program was refused without a word")
                                           : Status();
  }
  HW_CHECK(check_buffers(**graph));
  fill_constants(**graph, program, constants);
  Calls calls(**graph, script);
  for (int i = 0; i < kCalls; ++i) HW_CHECK(calls.make_one());
  return {};
}

}  // namespace highwater::fuzz
