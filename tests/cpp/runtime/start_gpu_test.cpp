// Runs that are started, polled and finished, on one thread and with nobody who waits.
#include "base/allocations.h"
#include "support/expect.h"
#include "support/residual.h"

namespace highwater {
namespace {

TEST(StartedRun, IsRightAtEveryLengthAndCostsWhatARunCosts) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  for (int64_t n : Residual::kLengths) {
    residual.start(*session, n, 1.0f);
    residual.finish_and_compare(*session, n, 1.0f);
    const Accounts started = session->run_accounts();
    residual.run_and_compare(*session, n, 2.0f);
    const Accounts& ran = session->run_accounts();
    for (const Accounts& a : {started, ran}) {
      EXPECT_EQ(a.waits, 1u) << n;
      EXPECT_EQ(a.submits, 1u) << n;
      EXPECT_EQ(a.gpu_objects, 0u) << n;
      EXPECT_GE(a.seconds, a.wait_seconds) << n;
    }
    EXPECT_EQ(started.dispatches, ran.dispatches) << n;
  }
}

TEST(StartedRun, AllocatesNothingWhenWarm) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  for (int i = 0; i < 2; ++i) {
    for (int64_t n : Residual::kLengths) {
      residual.start(*session, n, 1.0f);
      residual.finish_and_compare(*session, n, 1.0f);
      if (i == 0) continue;
      EXPECT_EQ(session->run_accounts().heap_allocations, 0u) << n;
    }
  }
}

TEST(StartedRun, KeepsOthersOfItsSessionFromStarting) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  const std::vector<float> x = residual.input(37, 2.0f);
  const Input input = HostTensor{DType::Float32, {37, Residual::kWidth}, x.data()};
  residual.start(*session, 50, 1.0f);
  EXPECT_TRUE(fails_saying(session->start_run({&input, 1}), {"under way", "finish"}));
  EXPECT_TRUE(fails_saying(session->run({&input, 1}), {"under way"}));
  EXPECT_TRUE(fails_saying(session->profile({&input, 1}), {"under way"}));
  EXPECT_TRUE(fails_saying(session->profile({&input, 1}, ProfileClock::Host), {"under way"}));
  residual.finish_and_compare(*session, 50, 1.0f);
  residual.run_and_compare(*session, 37, 2.0f);
}

TEST(StartedRun, ThatIsRefusedLeavesNothingToFinish) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  EXPECT_TRUE(session->poll()) << "nothing is under way";
  EXPECT_TRUE(fails_saying(session->finish(), {"no run is under way"}));
  residual.run_and_compare(*session, 50, 1.0f);
  const Input bad = int64_t{3};
  EXPECT_TRUE(fails_saying(session->start_run({&bad, 1}), {"input 0"}));
  EXPECT_TRUE(fails_saying(session->finish(), {"no run is under way"}));
  EXPECT_EQ(session->output_dims(0), (Dims{50, 24})) << "still those of the last good run";
  std::vector<float> y(50 * 24);
  EXPECT_TRUE(
      succeeds(session->read_output(0, DType::Float32, std::as_writable_bytes(std::span(y)))));
  residual.start(*session, 7, 4.0f);
  EXPECT_TRUE(
      fails_saying(session->read_output(0, DType::Float32, std::as_writable_bytes(std::span(y))),
                   {"was not read back"}))
      << "its memory is where the results come";
  residual.finish_and_compare(*session, 7, 4.0f);
}

// The rule of overlapping runs: each is told of its own errors, whoever polls.
TEST(StartedRun, OfTwoSessionsAtATimeIsRight) {
  const Residual first(0.5f), second(-3.0f), third(2.0f);
  const auto a = first.load(), b = second.load(), c = third.load();
  for (int64_t n : Residual::kLengths) {
    first.start(*a, n, 1.0f);
    second.start(*b, 128 - n, 2.0f);
    third.run_and_compare(*c, n, 3.0f);  // waits while both are under way
    second.finish_and_compare(*b, 128 - n, 2.0f);
    second.start(*b, n, 4.0f);
    first.finish_and_compare(*a, n, 1.0f);
    second.finish_and_compare(*b, n, 4.0f);
  }
}

TEST(StartedRun, MayBeLeftBehind) {
  const Residual residual(0.5f);
  const auto other = residual.load();
  for (int i = 0; i < 20; ++i) {
    auto session = residual.load();
    residual.start(*session, 128, 1.0f);
    residual.start(*other, 100, 2.0f);
    session.reset();
    residual.finish_and_compare(*other, 100, 2.0f);
  }
}

TEST(StartedRun, TakesWhatIsInItsInputsBuffer) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  EXPECT_NE(SessionAccess::input_place(*session, 0).buffer, nullptr);
  EXPECT_EQ(SessionAccess::output_place(*session, 0).dtype, DType::Float32);
  residual.run_and_compare(*session, 100, 1.0f);
  for (int64_t n : {37, 100}) {
    // The rows of a shorter input are the first of a longer one.
    const Input there = InPlace{{n, Residual::kWidth}};
    ASSERT_TRUE(succeeds(session->start_run({&there, 1})));
    residual.finish_and_compare(*session, n, 1.0f);
    EXPECT_EQ(session->run_accounts().uploaded_bytes, 0u);
  }
  const Input over = InPlace{{129, Residual::kWidth}};
  EXPECT_TRUE(fails_saying(session->start_run({&over, 1}), {"129", "128"}));
}

TEST(StartedLoad, ComesInPartsWithRunsBetween) {
  const Residual first(1.0f), second(2.0f), third(3.0f);
  const auto running = first.load();
  size_t told = 0;
  SessionOptions options;
  options.progress = [&](std::string_view, size_t, size_t) -> Status {
    ++told;
    return {};
  };
  const auto a = second.start_load(options), b = third.start_load();
  size_t parts = 0;
  bool a_done = false, b_done = false;
  EXPECT_FALSE(a->finish().ok()) << "it is not done";
  for (; !a_done || !b_done; ++parts) {
    const auto now_a = a->advance(), now_b = b->advance();
    ASSERT_TRUE(succeeds(now_a));
    ASSERT_TRUE(succeeds(now_b));
    a_done = *now_a == Advance::Done;
    b_done = *now_b == Advance::Done;
    first.run_and_compare(*running, static_cast<int64_t>(parts % 129), 1.0f);
  }
  EXPECT_GT(parts, 10u);
  EXPECT_GT(told, 10u);
  const auto loaded_a = a->finish(), loaded_b = b->finish();
  ASSERT_TRUE(succeeds(loaded_a));
  ASSERT_TRUE(succeeds(loaded_b));
  EXPECT_FALSE(a->finish().ok()) << "it has given its session away";
  second.run_and_compare(**loaded_a, 37, 1.0f);
  third.run_and_compare(**loaded_b, 37, 1.0f);
}

TEST(StartedLoad, MayBeGivenUpAfterAnyPart) {
  const Residual residual(1.0f);
  for (size_t parts = 0;; ++parts) {
    const auto loading = residual.start_load();
    Advance now = Advance::More;
    for (size_t i = 0; i < parts && now != Advance::Done; ++i) {
      const auto advanced = loading->advance();
      ASSERT_TRUE(succeeds(advanced));
      now = *advanced;
    }
    if (now == Advance::Done) break;
  }
  residual.run_and_compare(*residual.load(), 37, 1.0f);
}

TEST(StartedLoad, WaitsForWeightsThatHaveNotCome) {
  const Residual residual(1.0f);
  std::vector<std::string> asked;
  bool are_here = false;
  ConstantArrivals arrivals;
  arrivals.are_here = [&](const std::string& key) {
    asked.push_back(key);
    return are_here;
  };
  const auto loading = residual.start_load({}, std::move(arrivals));
  while (asked.empty()) ASSERT_TRUE(succeeds(loading->advance()));
  for (int i = 0; i < 3; ++i) {
    const auto now = loading->advance();
    ASSERT_TRUE(succeeds(now));
    EXPECT_EQ(*now, Advance::Waiting);
  }
  EXPECT_EQ(asked, std::vector<std::string>(asked.size(), "w"));
  are_here = true;
  for (;;) {
    const auto now = loading->advance();
    ASSERT_TRUE(succeeds(now));
    if (*now == Advance::Done) break;
  }
  const auto session = loading->finish();
  ASSERT_TRUE(succeeds(session));
  residual.run_and_compare(**session, 37, 1.0f);
}

}  // namespace
}  // namespace highwater
