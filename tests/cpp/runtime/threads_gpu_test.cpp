// Sessions on several threads share a device and do not disturb each other.
#include <algorithm>
#include <thread>

#include "support/expect.h"
#include "support/residual.h"

namespace highwater {
namespace {

TEST(Threads, TwoSessionsInterleavedAreBothRight) {
  const Residual first(0.5f), second(-3.0f);
  const auto work = [](const Residual& residual, int64_t step) {
    const auto session = residual.load();
    for (int64_t i = 0; i < 30; ++i) {
      residual.run_and_compare(*session, i * step % 129, static_cast<float>(i));
    }
  };
  std::thread a(work, std::cref(first), 37), b(work, std::cref(second), 50);
  a.join();
  b.join();
}

TEST(Threads, LoadingAndFailingBesideARunningSession) {
  const Residual residual(1.0f);
  const auto session = residual.load();
  std::thread loader([&] {
    for (int i = 0; i < 5; ++i) {
      const Residual other(static_cast<float>(i));
      const auto beside = other.load();
      other.run_and_compare(*beside, 10 + i, 1.0f);
      const Input bad = int64_t{1};
      EXPECT_FALSE(beside->run({&bad, 1}).ok());
    }
  });
  for (int64_t i = 0; i < 20; ++i) residual.run_and_compare(*session, 128 - i, 1.0f);
  loader.join();
}

// Who is told of a load may use the device, or wait for a thread that does.
TEST(Threads, ProgressIsToldOutsideOfTheDevicesTurns) {
  const Residual residual(1.0f), other(2.0f);
  const auto running = residual.load();
  int64_t told = 0;
  SessionOptions options;
  options.progress = [&](std::string_view, size_t, size_t) -> Status {
    std::thread beside([&] { residual.run_and_compare(*running, ++told, 1.0f); });
    beside.join();
    return {};
  };
  const auto loaded = other.load(options);
  ASSERT_TRUE(succeeds(loaded));
  EXPECT_GT(told, 3);
  other.run_and_compare(**loaded, 17, 1.0f);
}

TEST(Threads, AnErrorOfProgressEndsTheLoadAtOnce) {
  const Residual residual(1.0f);
  for (const std::string_view last : {"weights", "kernels", "first runs"}) {
    std::vector<std::string> told;
    SessionOptions options;
    options.progress = [&](std::string_view stage, size_t, size_t) -> Status {
      told.emplace_back(stage);
      if (stage == last) return fail("enough of ", stage);
      return {};
    };
    const auto stopped = residual.load(options);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().message(), text("enough of ", last));
    EXPECT_EQ(std::count(told.begin(), told.end(), last), 1);
    EXPECT_EQ(told.back(), last);
  }
  const auto loaded = residual.load();
  residual.run_and_compare(*loaded, 17, 1.0f);
}

}  // namespace
}  // namespace highwater
