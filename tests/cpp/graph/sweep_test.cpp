// One ordered sweep: what is planned, how often, and with what in sight.
#include "support/engine.h"

namespace highwater {
namespace {

TEST(Sweep, ResidualsOfAnyDepthSeeBothOperandsAtTheNewLength) {
  ProgramBuilder b;
  ValueId x = b.input({16, 4});
  std::vector<ValueId> made;
  // Each layer adds its input back to a branch of `depth` nodes, and feeds the next.
  for (int depth = 1; depth <= 4; ++depth) {
    ValueId branch = x;
    for (int i = 0; i < depth; ++i) made.push_back(branch = b.apply("toy.copy", {branch}, {16, 4}));
    made.push_back(x = b.apply("toy.mix", {branch, x}, {16, 4}));
  }
  Engine engine(b.output(x).program());
  for (int64_t n : {16, 9, 3, 12, 1, 16}) {
    ASSERT_TRUE(succeeds(engine.call({rows(n)})));
    for (ValueId id : made) EXPECT_EQ(engine.dims(id), (Dims{n, 4})) << "value " << id;
  }
}

TEST(Sweep, NodeBelowADiamondIsPlannedOnceAfterBothSides) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  const ValueId left = b.apply("toy.copy", {x}, {16, 4});
  const ValueId right = b.apply("toy.take", {x, b.integer(5)}, {5, 4});
  const ValueId joined = b.apply("toy.concat", {left, right}, {21, 4});
  Engine engine(b.output(joined).program());

  ASSERT_TRUE(succeeds(engine.call({rows(10)})));
  EXPECT_EQ(engine.dims(joined), (Dims{15, 4}));
  EXPECT_EQ(engine.toy_plans(), 3) << "each side, and the end once";
}

TEST(Sweep, ChangeThatStopsSomewherePlansNothingBeyond) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  const ValueId head = b.apply("toy.take", {x, b.integer(4)}, {4, 4});
  ValueId last = head;
  for (int i = 0; i < 20; ++i) last = b.apply("toy.copy", {last}, {4, 4});
  Engine engine(b.output(last).program());

  ASSERT_TRUE(succeeds(engine.call({rows(9)})));
  EXPECT_EQ(engine.planned_nodes(), 1u) << "the head still has four rows";
  ASSERT_TRUE(succeeds(engine.call({rows(3)})));
  EXPECT_EQ(engine.planned_nodes(), 21u);
}

TEST(Sweep, CostFollowsTheNodesTouchedAndNotTheGraph) {
  constexpr int kChains = 10, kLength = 30;
  ProgramBuilder b;
  for (int chain = 0; chain < kChains; ++chain) {
    ValueId x = b.input({16, 4});
    for (int i = 0; i < kLength; ++i) x = b.apply("toy.copy", {x}, {16, 4});
    b.output(x);
  }
  Engine engine(b.program());
  for (int changed = 0; changed <= kChains; ++changed) {
    std::vector<Input> inputs(kChains, rows(16));
    ASSERT_TRUE(succeeds(engine.call(inputs)));
    for (int i = 0; i < changed; ++i) inputs[static_cast<size_t>(i)] = rows(7);
    ASSERT_TRUE(succeeds(engine.call(inputs)));
    EXPECT_EQ(engine.toy_plans(), changed * kLength);
    EXPECT_EQ(engine.planned_nodes(), static_cast<uint32_t>(changed * kLength));
  }
}

TEST(Sweep, SameInputsPlanNothingAndDirtyNothing) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  const ValueId y = b.apply("toy.routes", {b.apply("toy.copy", {x}, {16, 4})}, {16, 4});
  Engine engine(b.output(y).program());
  engine.live().mark_params_clean();

  ASSERT_TRUE(succeeds(engine.call({rows(16)})));
  EXPECT_EQ(engine.planned_nodes(), 0u) << "the bound was planned when the graph was built";
  EXPECT_TRUE(engine.live().dirty_params().empty());

  ASSERT_TRUE(succeeds(engine.call({rows(7)})));
  EXPECT_EQ(engine.planned_nodes(), 2u);
  EXPECT_FALSE(engine.live().dirty_params().empty());
  engine.live().mark_params_clean();

  ASSERT_TRUE(succeeds(engine.call({rows(7)})));
  EXPECT_EQ(engine.planned_nodes(), 0u);
  EXPECT_EQ(engine.toy_plans(), 0);
  EXPECT_TRUE(engine.live().dirty_params().empty());
}

TEST(Sweep, DirtyParamsCoverWhatChangedUntilMarkedClean) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), z = b.input({16, 4});
  b.output(b.apply("toy.copy", {x}, {16, 4})).output(b.apply("toy.copy", {z}, {16, 4}));
  Engine engine(b.program());
  engine.live().mark_params_clean();
  const uint32_t second = engine.graph().steps[1].params_at;

  ASSERT_TRUE(succeeds(engine.call({rows(16), rows(5)})));
  EXPECT_EQ(engine.live().dirty_params().begin, second);
  EXPECT_EQ(engine.live().dirty_params().end, second + 16);
  ASSERT_TRUE(succeeds(engine.call({rows(3), rows(5)})));
  EXPECT_EQ(engine.live().dirty_params().begin, 0u) << "two calls, nothing written between them";
  EXPECT_EQ(engine.live().dirty_params().end, second + 16);
}

TEST(Sweep, RouteFollowsTheLiveShape) {
  ProgramBuilder b;
  const ValueId y = b.apply("toy.routes", {b.input({16, 4})}, {16, 4});
  Engine engine(b.output(y).program());
  EXPECT_EQ(engine.dispatches(), 1u);
  ASSERT_TRUE(succeeds(engine.call({rows(7)})));
  EXPECT_EQ(engine.dispatches(), 2u);
  ASSERT_TRUE(succeeds(engine.call({rows(8)})));
  EXPECT_EQ(engine.dispatches(), 1u);
}

TEST(Sweep, MoreThanSixtyFourNodesKeepTheirOrder) {
  ProgramBuilder b;
  ValueId x = b.input({16, 4});
  for (int i = 0; i < 200; ++i) x = b.apply("toy.copy", {x}, {16, 4});
  Engine engine(b.output(x).program());
  ASSERT_TRUE(succeeds(engine.call({rows(2)})));
  EXPECT_EQ(engine.dims(x), (Dims{2, 4}));
  EXPECT_EQ(engine.planned_nodes(), 200u);
}

}  // namespace
}  // namespace highwater
