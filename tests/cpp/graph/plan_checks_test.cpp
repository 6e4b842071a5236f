// What the engine does not let an op do, whatever its plan says: run a step that is not its own, or
// one twice, or loops that the adapter would cut short.
#include "support/engine.h"

namespace highwater {
namespace {

// A copy, and then an op that goes wrong at a length of n.
struct Misplanned {
  ProgramBuilder b;
  ValueId y;

  explicit Misplanned(std::string op) {
    const ValueId x = b.input({16, 4}), n = b.input_scalar();
    y = b.apply(std::move(op), {b.apply("toy.copy", {x}, {16, 4}), n}, {16, 4});
    b.output(y);
  }
};

void expect_one_call_refused(std::string op, std::initializer_list<std::string_view> words) {
  const Misplanned program(std::move(op));
  Engine engine(program.b.program());
  ASSERT_TRUE(succeeds(engine.call({rows(16), int64_t{3}})));
  const Snapshot before = engine.snapshot();
  EXPECT_TRUE(fails_saying(engine.call({rows(7), int64_t{7}}), words));
  EXPECT_EQ(engine.snapshot(), before);
  ASSERT_TRUE(succeeds(engine.call({rows(11), int64_t{7}})));
  EXPECT_EQ(engine.dims(program.y), (Dims{11, 4}));
  EXPECT_EQ(engine.dispatches(), 2u);
}

TEST(PlanChecks, AStepOfAnotherNodeIsRefused) {
  expect_one_call_refused("toy.foreign", {"toy.foreign (node 1)", "toy_one", "of another op"});
}

TEST(PlanChecks, AStepThatWasNotDeclaredIsRefused) {
  expect_one_call_refused("toy.undeclared", {"toy.undeclared (node 1)", "never declared"});
}

TEST(PlanChecks, AStepThatRunsTwiceIsRefused) {
  expect_one_call_refused("toy.twice", {"toy.twice (node 1)", "toy_one", "twice"});
}

// Two walks along a dim of [30000, 4], whose second half may be left out.
struct LongSoftmax {
  ProgramBuilder b;

  LongSoftmax() {
    const Dims bound{40'000, 4};
    const ValueId x = b.input(bound);
    b.output(b.apply("aten._softmax.default", {x, b.integer(0), b.flag(false)}, bound));
  }
};

TEST(PlanChecks, LoopsThatTheAdapterWouldEndAreRefused) {
  const LongSoftmax program;
  Engine engine(program.b.program());
  ASSERT_TRUE(succeeds(engine.call({rows(30'000)})));
  EXPECT_TRUE(fails_saying(engine.call({rows(30'001)}),
                           {"aten._softmax.default (node 0)", "60002 rounds of softmax_stats",
                            "this adapter, which ends loops after 60000"}));
  ASSERT_TRUE(succeeds(engine.call({rows(37)})));
}

TEST(PlanChecks, AnAdapterThatEndsNoLoopsTakesThemAll) {
  const LongSoftmax program;
  const auto graph = Graph::build(program.b.program(), {.most_rounds = DeviceTraits::kAnyRounds});
  ASSERT_TRUE(succeeds(graph));
  const Input inputs[] = {rows(40'000)};
  EXPECT_TRUE(succeeds(Live(**graph).update(inputs)));
}

}  // namespace
}  // namespace highwater
