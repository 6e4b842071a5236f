// Zero sizes are legal: empty outputs, no dispatch.
#include "support/engine.h"

namespace highwater {
namespace {

TEST(ZeroSize, NoDispatchAndEmptyOutputsAndBackAgain) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  const ValueId narrow = b.apply("toy.narrow", {x, b.integer(2)}, {32, 2});
  const ValueId y = b.apply("toy.mix", {b.apply("toy.routes", {x}, {16, 4}), narrow}, {32, 4});
  Engine engine(b.output(y).output(narrow).program());
  const size_t at_bound = engine.dispatches();
  EXPECT_EQ(at_bound, 2u);

  ASSERT_TRUE(succeeds(engine.call({rows(0)})));
  EXPECT_EQ(engine.dispatches(), 0u);
  EXPECT_EQ(engine.dims(y), (Dims{0, 4}));
  EXPECT_EQ(engine.dims(narrow), (Dims{0, 2}));

  ASSERT_TRUE(succeeds(engine.call({rows(16)})));
  EXPECT_EQ(engine.dispatches(), at_bound);
  EXPECT_EQ(engine.dims(y), (Dims{32, 4}));
}

TEST(ZeroSize, OnlyTheEmptyBranchIsLeftOut) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), z = b.input({16, 4});
  const ValueId left = b.apply("toy.copy", {x}, {16, 4});
  const ValueId right = b.apply("toy.copy", {z}, {16, 4});
  const ValueId y = b.apply("toy.concat", {left, right}, {32, 4});
  Engine engine(b.output(y).program());
  ASSERT_TRUE(succeeds(engine.call({rows(0), rows(3)})));
  EXPECT_EQ(engine.dispatches(), 2u) << "the copy of z, and the join";
  EXPECT_EQ(engine.dims(y), (Dims{3, 4}));
}

TEST(ZeroSize, BoundOfZeroBuildsAndRuns) {
  ProgramBuilder b;
  const ValueId y = b.apply("toy.copy", {b.input({0, 4})}, {0, 4});
  Engine engine(b.output(y).program());
  ASSERT_TRUE(succeeds(engine.call({rows(0)})));
  EXPECT_EQ(engine.dispatches(), 0u);
  EXPECT_GT(engine.graph().buffers.at(engine.graph().values[y].buffer).size, 0u)
      << "a buffer that is bound must not be empty";
  EXPECT_FALSE(engine.call({rows(1)}).ok());
}

TEST(ZeroSize, ProgramWithoutOps) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  Engine engine(b.output(x).program());
  ASSERT_TRUE(succeeds(engine.call({rows(3)})));
  EXPECT_EQ(engine.dims(x), (Dims{3, 4}));
  EXPECT_EQ(engine.planned_nodes(), 0u);
}

}  // namespace
}  // namespace highwater
