// Scalars that depend on tensors that depend on scalars are never older than what they follow from.
#include "support/engine.h"

namespace highwater {
namespace {

TEST(ScalarChain, SizeArithmeticSliceAndSizeAgain) {
  ProgramBuilder b;
  const ValueId x = b.input({64, 4});
  const ValueId n = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  const ValueId half = b.apply_scalar("floordiv", {n, b.integer(2)});
  const ValueId front = b.apply("toy.take", {x, half}, {32, 4});
  const ValueId m = b.apply_scalar("sym_size.int", {front, b.integer(-2)});
  const ValueId rest = b.apply_scalar("sub", {n, m});
  const ValueId back = b.apply("toy.take", {x, rest}, {64, 4});
  const ValueId again = b.apply("toy.concat", {front, back}, {96, 4});
  const ValueId total = b.apply_scalar("sym_size.int", {again, b.integer(0)});
  Engine engine(b.output(again).output(total).program());

  for (int64_t length : {64, 37, 5, 1, 0, 64}) {
    ASSERT_TRUE(succeeds(engine.call({rows(length)})));
    EXPECT_EQ(engine.scalar(n), length);
    EXPECT_EQ(engine.dims(front), (Dims{length / 2, 4}));
    EXPECT_EQ(engine.scalar(m), length / 2);
    EXPECT_EQ(engine.dims(back), (Dims{length - length / 2, 4}));
    EXPECT_EQ(engine.scalar(total), length);
  }
}

TEST(ScalarChain, TwentyLevelsDeep) {
  ProgramBuilder b;
  ValueId x = b.input({64, 4});
  const ValueId one = b.integer(1), zero = b.integer(0);
  std::vector<ValueId> levels;
  for (int i = 0; i < 20; ++i) {
    const ValueId n = b.apply_scalar("sym_size.int", {x, zero});
    const ValueId less = b.apply_scalar("sub", {n, one});
    levels.push_back(x = b.apply("toy.take", {x, less}, {64, 4}));
  }
  Engine engine(b.output(x).program());
  for (int64_t length : {64, 30, 10, 45}) {
    ASSERT_TRUE(succeeds(engine.call({rows(length)})));
    for (int64_t i = 0; i < 20; ++i) {
      EXPECT_EQ(engine.dims(levels[static_cast<size_t>(i)])[0],
                std::max<int64_t>(length - i - 1, 0));
    }
  }
}

TEST(ScalarChain, ScalarThatStaysTheSameStopsTheChange) {
  ProgramBuilder b;
  const ValueId x = b.input({64, 4});
  const ValueId n = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  const ValueId tens = b.apply_scalar("floordiv", {n, b.integer(10)});
  const ValueId other = b.input({64, 4});
  const ValueId y = b.apply("toy.take", {other, tens}, {6, 4});
  Engine engine(b.output(y).program());

  ASSERT_TRUE(succeeds(engine.call({rows(35), rows(64)})));
  ASSERT_TRUE(succeeds(engine.call({rows(39), rows(64)})));
  EXPECT_EQ(engine.planned_nodes(), 2u) << "size and quotient; the quotient is still 3";
  ASSERT_TRUE(succeeds(engine.call({rows(40), rows(64)})));
  EXPECT_EQ(engine.planned_nodes(), 3u);
  EXPECT_EQ(engine.dims(y), (Dims{4, 4}));
}

TEST(ScalarChain, RealViewFollowsALiveScalarInItsSizes) {
  ProgramBuilder b;
  const ValueId x = b.input({64, 4});
  const ValueId n = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  const ValueId sizes = b.list({b.integer(2), n, b.integer(-1)});
  const ValueId y = b.apply("aten.view_copy.default", {x, sizes}, {2, 64, 2});
  const ValueId m = b.apply_scalar("sym_size.int", {y, b.integer(1)});
  const ValueId z = b.apply("toy.take", {x, m}, {64, 4});
  Engine engine(b.output(y).output(z).program());
  for (int64_t length : {64, 33, 1}) {
    ASSERT_TRUE(succeeds(engine.call({rows(length)})));
    EXPECT_EQ(engine.dims(y), (Dims{2, length, 2}));
    EXPECT_EQ(engine.dims(z), (Dims{length, 4}));
  }
}

// A program whose scalars only the caller knows may have no meaning at the bound.
TEST(LatePlan, ProgramThatCannotBePlannedAtTheBoundIsPlannedByItsFirstGoodCall) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  const ValueId n = b.input_scalar();
  // Before a call n is 0, and -1 rows cannot be taken.
  const ValueId less = b.apply_scalar("sub", {n, b.integer(1)});
  const ValueId y = b.apply("toy.exactly", {b.apply("toy.copy", {x}, {16, 4}), less}, {16, 4});
  Engine engine(b.output(y).program());
  EXPECT_EQ(engine.dispatches(), 0u);

  EXPECT_TRUE(fails_saying(engine.call({rows(16), int64_t{40}}), {"toy.exactly", "39"}));
  EXPECT_EQ(engine.dispatches(), 0u);
  // The same tensor and the same scalar as before any call: nothing "changed", yet all is planned.
  ASSERT_TRUE(succeeds(engine.call({rows(16), int64_t{8}})));
  EXPECT_EQ(engine.planned_nodes(), 3u);
  EXPECT_EQ(engine.dims(y), (Dims{7, 4}));
  EXPECT_EQ(engine.dispatches(), 2u);
  ASSERT_TRUE(succeeds(engine.call({rows(16), int64_t{8}})));
  EXPECT_EQ(engine.planned_nodes(), 0u);
}

TEST(LatePlan, FirstCallMayGiveJustWhatTheBuildAssumed) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), n = b.input_scalar();
  const ValueId y = b.apply("toy.exactly", {x, b.apply_scalar("sub", {n, b.integer(1)})}, {16, 4});
  const ValueId z = b.apply("toy.copy", {x}, {16, 4});
  Engine engine(b.output(y).output(z).program());
  EXPECT_FALSE(engine.call({rows(16), int64_t{0}}).ok()) << "the dims and the scalar of the build";
  ASSERT_TRUE(succeeds(engine.call({rows(16), int64_t{1}})));
  EXPECT_EQ(engine.dims(y), (Dims{0, 4}));
  EXPECT_EQ(engine.dispatches(), 1u) << "the copy, of which nothing changed, is planned as well";
}

}  // namespace
}  // namespace highwater
