// A bad call changes nothing, and the next good one runs as if it had never been made.
#include "support/engine.h"

namespace highwater {
namespace {

// x → copy → (fails at 7 rows) → copy, with a scalar before and one after the trouble.
struct Fallible {
  ProgramBuilder b;
  ValueId x = b.input({16, 4});
  ValueId early = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  ValueId copied = b.apply("toy.copy", {x}, {16, 4});
  ValueId risky = b.apply("toy.avoid", {copied, b.integer(7)}, {16, 4});
  ValueId late = b.apply_scalar("sym_size.int", {risky, b.integer(0)});
  ValueId y = b.apply("toy.take", {risky, late}, {16, 4});

  Engine engine() { return Engine(b.output(y).program()); }
};

TEST(AllOrNothing, PlanThatFailsInTheMiddleLeavesEverythingAsItWas) {
  Fallible f;
  Engine engine = f.engine();
  ASSERT_TRUE(succeeds(engine.call({rows(11)})));
  engine.live().mark_params_clean();
  const Snapshot before = engine.snapshot();
  const std::vector<std::byte> params(engine.live().params().begin(), engine.live().params().end());

  EXPECT_TRUE(fails_saying(engine.call({rows(7)}), {"toy.avoid", "node 2", "[7, 4]"}));
  EXPECT_TRUE(engine.snapshot() == before);
  EXPECT_TRUE(std::equal(params.begin(), params.end(), engine.live().params().begin()));
  EXPECT_TRUE(engine.live().dirty_params().empty());
  EXPECT_TRUE(succeeds(engine.live().check_settled()));

  ASSERT_TRUE(succeeds(engine.call({rows(11)})));
  EXPECT_EQ(engine.planned_nodes(), 0u) << "the good call before is still in force";
  ASSERT_TRUE(succeeds(engine.call({rows(5)})));
  EXPECT_EQ(engine.dims(f.y), (Dims{5, 4}));
  EXPECT_EQ(engine.scalar(f.early), 5);
  EXPECT_EQ(engine.scalar(f.late), 5);
}

TEST(AllOrNothing, ManyBadCallsInARowAndBetweenGoodOnes) {
  Fallible f;
  Engine engine = f.engine();
  for (int64_t length : {16, 7, 7, 3, 7, 16, 7, 0, 7, 1}) {
    const Snapshot before = engine.snapshot();
    const Status status = engine.call({rows(length)});
    EXPECT_EQ(status.ok(), length != 7);
    if (length == 7) {
      EXPECT_TRUE(engine.snapshot() == before);
    } else {
      EXPECT_EQ(engine.dims(f.y), (Dims{length, 4}));
    }
  }
}

TEST(AllOrNothing, DirtyParamsOfAGoodCallOutliveABadOne) {
  Fallible f;
  Engine engine = f.engine();
  engine.live().mark_params_clean();
  ASSERT_TRUE(succeeds(engine.call({rows(11)})));
  const Live::Range dirty = engine.live().dirty_params();
  ASSERT_FALSE(dirty.empty());
  EXPECT_FALSE(engine.call({rows(7)}).ok());
  EXPECT_EQ(engine.live().dirty_params().begin, dirty.begin);
  EXPECT_EQ(engine.live().dirty_params().end, dirty.end);
}

TEST(AllOrNothing, OutputOverItsBoundIsAnErrorThatNamesOpValueAndDims) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), z = b.input({16, 4});
  const ValueId y = b.apply("toy.concat", {x, z}, {20, 4});
  Engine engine(b.output(y).program());
  ASSERT_TRUE(succeeds(engine.call({rows(10), rows(10)})));
  const Snapshot before = engine.snapshot();
  EXPECT_TRUE(fails_saying(engine.call({rows(11), rows(10)}),
                           {"toy.concat (node 0)", "[21, 4]", "tensor 2", "[20, 4]"}));
  EXPECT_TRUE(engine.snapshot() == before);
  ASSERT_TRUE(succeeds(engine.call({rows(11), rows(9)})));
}

TEST(AllOrNothing, BadInputsAreNamedAndForgotten) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), n = b.input_scalar();
  const ValueId y = b.apply("toy.take", {x, n}, {16, 4});
  Engine engine(b.output(y).program());
  ASSERT_TRUE(succeeds(engine.call({rows(9), int64_t{4}})));
  const Snapshot before = engine.snapshot();

  EXPECT_TRUE(fails_saying(engine.call({rows(17), int64_t{3}}), {"input 0", "[17, 4]", "[16, 4]"}));
  EXPECT_TRUE(fails_saying(engine.call({of_dims({9, 5}), int64_t{3}}), {"input 0", "[9, 5]"}));
  EXPECT_TRUE(fails_saying(engine.call({of_dims({9}), int64_t{3}}), {"input 0", "[9]"}));
  EXPECT_TRUE(fails_saying(engine.call({of_dims({-1, 4}), int64_t{3}}), {"input 0", "[-1, 4]"}));
  EXPECT_TRUE(fails_saying(engine.call({rows(9)}), {"2 inputs", "1 were given"}));
  EXPECT_TRUE(fails_saying(engine.call({}), {"2 inputs", "0 were given"}));
  // The first input is good and new when the second turns out to be bad.
  EXPECT_TRUE(fails_saying(engine.call({rows(2), rows(2)}), {"input 1", "scalar", "a tensor was"}));
  EXPECT_TRUE(fails_saying(engine.call({int64_t{2}, int64_t{2}}), {"input 0", "an integer was"}));
  EXPECT_TRUE(engine.snapshot() == before);

  ASSERT_TRUE(succeeds(engine.call({rows(9), int64_t{4}})));
  EXPECT_EQ(engine.planned_nodes(), 0u);
  ASSERT_TRUE(succeeds(engine.call({rows(16), int64_t{13}})));
  EXPECT_EQ(engine.dims(y), (Dims{13, 4}));
}

}  // namespace
}  // namespace highwater
