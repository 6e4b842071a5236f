// On random graphs, an incremental update gives what planning everything from scratch gives.
#include "support/engine.h"
#include "support/random_program.h"

namespace highwater {
namespace {

// The program with `inputs` as its bounds: building it plans every node at just these shapes.
Program bounded_by(Program program, const std::vector<Input>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto* tensor = std::get_if<HostTensor>(&inputs[i]);
    if (tensor) std::get<TensorDecl>(program.values[program.inputs[i]]).dims = tensor->dims;
  }
  return program;
}

class RandomSweep : public testing::TestWithParam<uint32_t> {};

TEST_P(RandomSweep, EqualsPlanningFromScratch) {
  RandomProgram random(GetParam(), 80);
  Engine engine(random.program());
  int good = 0, bad = 0;
  for (int step = 0; step < 40; ++step) {
    const std::vector<Input> inputs = random.inputs();
    const Snapshot before = engine.snapshot();
    const Status status = engine.call(inputs);

    Engine fresh(bounded_by(random.program(), inputs));
    const Status fresh_status = fresh.call(inputs);
    ASSERT_EQ(status.ok(), fresh_status.ok()) << "step " << step;
    if (status.ok()) {
      ++good;
      // Scratch comes after the program's values, and its dims follow from the bound.
      for (ValueId id = 0; id < random.program().values.size(); ++id) {
        ASSERT_EQ(engine.dims(id), fresh.dims(id)) << "step " << step << ", value " << id;
        ASSERT_EQ(engine.scalar(id), fresh.scalar(id)) << "step " << step << ", value " << id;
      }
      ASSERT_TRUE(engine.snapshot().runs == fresh.snapshot().runs) << "step " << step;
    } else {
      ++bad;
      ASSERT_TRUE(engine.snapshot() == before) << "step " << step;
    }
  }
  // Otherwise the comparison above would have had nothing to compare.
  EXPECT_GT(good, 0);
  RecordProperty("bad_calls", bad);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSweep, testing::Range(1u, 61u));

}  // namespace
}  // namespace highwater
