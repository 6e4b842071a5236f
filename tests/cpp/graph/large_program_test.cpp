// Loading takes time in proportion to the program: what is quadratic would take minutes here.
#include <time.h>

#include "blob/definitions.h"
#include "passes/passes.h"
#include "support/engine.h"

namespace highwater {
namespace {

constexpr int kMany = 60'000;

// Of this thread's own time: other work of the machine does not count.
class Stopwatch {
 public:
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double start_ = now();
};

// All that a load does before the device is asked for anything.
Status load(Program program) {
  HW_CHECK(check_definitions(program));
  run_passes(program);
  HW_TRY(const auto graph, Graph::build(program));
  const Live live(*graph);
  return {};
}

void expect_quick(const ProgramBuilder& b) {
  const Stopwatch watch;
  EXPECT_TRUE(succeeds(load(b.program())));
  EXPECT_LT(watch.seconds(), 20);
}

TEST(LargeProgram, ManyViewsOfOneValue) {
  ProgramBuilder b;
  const ValueId x = b.input({4, 8});
  const ValueId sizes = b.integers({8, 4});
  for (int i = 0; i < kMany; ++i) b.apply("aten.view_copy.default", {x, sizes}, {8, 4});
  expect_quick(b);
}

TEST(LargeProgram, ManyViewsThatAreOutputs) {
  ProgramBuilder b;
  const ValueId x = b.input({4, 8});
  const ValueId sizes = b.integers({8, 4});
  for (int i = 0; i < kMany; ++i) b.output(b.apply("aten.view_copy.default", {x, sizes}, {8, 4}));
  expect_quick(b);
}

TEST(LargeProgram, ViewOfAViewOfAView) {
  ProgramBuilder b;
  ValueId x = b.input({4, 8});
  const ValueId sizes = b.integers({4, 8});
  for (int i = 0; i < kMany; ++i) x = b.apply("aten.view_copy.default", {x, sizes}, {4, 8});
  b.output(x);
  expect_quick(b);
}

TEST(LargeProgram, ManyValuesAtOnce) {
  ProgramBuilder b;
  const ValueId x = b.input({4, 8});
  std::vector<ValueId> alive;
  for (int i = 0; i < kMany / 16; ++i) {
    alive.push_back(b.apply("aten.relu.default", {x}, {4, 8}));
  }
  ValueId sum = x;
  for (ValueId id : alive) {
    sum = b.apply("aten.add.Tensor", {sum, id, b.integer(1)}, {4, 8});
  }
  b.output(sum);
  expect_quick(b);
}

TEST(LargeProgram, ManyNamesThatAreNotKnown) {
  ProgramBuilder b;
  const ValueId x = b.input({4, 8});
  for (int i = 0; i < kMany; ++i) b.apply(text("aten.unknown_", i), {x}, {4, 8});
  const Stopwatch watch;
  const Status status = load(b.program());
  EXPECT_TRUE(fails_saying(status, {"aten.unknown_0, aten.unknown_1", "and 59980 more"}));
  EXPECT_LT(status.error().message().size(), 1000u);
  EXPECT_LT(watch.seconds(), 20);
}

}  // namespace
}  // namespace highwater
