// The memory plan of random graphs, acted out: nothing is overwritten before it was read last.
#include "support/engine.h"
#include "support/random_program.h"

namespace highwater {
namespace {

// Remembers whose elements each buffer holds.
class Device {
 public:
  explicit Device(const Graph& graph) : graph_(graph), holds_(graph.buffers.size(), kNoValue) {
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const ValueInfo& v = graph.values[id];
      if (v.buffer != kNoBuffer && v.tensor.constant) holds_[v.buffer] = id;
    }
  }

  void run(bool first_time) {
    for (ValueId id : graph_.inputs) write(id);
    for (const Node& node : graph_.nodes) {
      if (node.fixed && !first_time) continue;
      for (ValueId id : node.reads) expect_intact(id, node.name);
      for (ValueId id : node.writes) {
        for (ValueId read : node.reads) expect_apart(id, read, node.name);
        for (ValueId other : node.writes) {
          if (id != other) expect_apart(id, other, node.name);
        }
      }
      for (ValueId id : node.writes) write(id);
    }
    for (ValueId id : graph_.outputs) expect_intact(id, "an output");
  }

 private:
  BufferId buffer_of(ValueId id) const { return graph_.values[graph_.root(id)].buffer; }

  void write(ValueId id) {
    // A view writes nothing.
    if (graph_.root(id) == id && buffer_of(id) != kNoBuffer) holds_[buffer_of(id)] = id;
  }

  void expect_intact(ValueId id, const std::string& who) const {
    const BufferId buffer = buffer_of(id);
    if (buffer == kNoBuffer) return;
    const ValueId root = graph_.root(id), held = holds_[buffer];
    const bool same_constant = graph_.values[root].tensor.constant && held != kNoValue &&
                               graph_.values[held].tensor.constant;
    EXPECT_TRUE(held == root || same_constant)
        << who << " reads " << graph_.describe(root) << ", but buffer " << buffer << " holds "
        << (held == kNoValue ? "nothing" : graph_.describe(held));
  }

  void expect_apart(ValueId a, ValueId b, const std::string& who) const {
    if (graph_.root(a) == graph_.root(b) || buffer_of(a) == kNoBuffer) return;
    EXPECT_NE(buffer_of(a), buffer_of(b)) << who << " would have " << graph_.describe(a) << " and "
                                          << graph_.describe(b) << " in one buffer";
  }

  const Graph& graph_;
  std::vector<ValueId> holds_;
};

class RandomMemory : public testing::TestWithParam<uint32_t> {};

TEST_P(RandomMemory, NothingIsOverwrittenBeforeItWasReadLast) {
  const RandomProgram random(GetParam(), 120);
  Engine engine(random.program());
  Device device(engine.graph());
  device.run(true);
  device.run(false);
}

TEST_P(RandomMemory, EveryBindingHasABufferThatIsLargeEnough) {
  const RandomProgram random(GetParam(), 120);
  Engine engine(random.program());
  const Graph& graph = engine.graph();
  for (const StepDecl& step : graph.steps) {
    for (const StepBinding& binding : step.bindings) {
      const BufferId buffer = binding.memory;
      ASSERT_NE(buffer, kNoBuffer) << step.name << " binds " << graph.describe(binding.value);
      const auto elements = static_cast<uint64_t>(graph.values[binding.value].tensor.dims.numel());
      EXPECT_GE(graph.buffers[buffer].size, elements * sizeof(float));
    }
  }
}

TEST_P(RandomMemory, ParamsOfDifferentStepsLieApart) {
  const RandomProgram random(GetParam(), 120);
  Engine engine(random.program());
  uint32_t end = 0;
  for (const StepDecl& step : engine.graph().steps) {
    EXPECT_EQ(step.params_at % 256, 0u) << "WebGPU's guaranteed alignment";
    EXPECT_GE(step.params_at, end);
    end = step.params_at + step.params_size;
  }
  EXPECT_LE(end, engine.graph().params_size);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMemory, testing::Range(1u, 101u));

TEST(RandomMemoryAltogether, SharesAtAll) {
  const RandomProgram random(1, 120);
  Engine engine(random.program());
  EXPECT_LT(engine.graph().buffers.size(), 80u) << "or the tests above would prove nothing";
}

}  // namespace
}  // namespace highwater
