// What is closed, left behind or looked at while other threads use the device.
#include <atomic>
#include <thread>
#include <vector>

#include "highwater/inspect.h"
#include "support/expect.h"
#include "support/residual.h"

namespace highwater {
namespace {

constexpr int kRounds = 6;

// Runs one session until `others` have done what they do.
void run_beside(const std::vector<std::thread*>& others, const Residual& residual,
                const std::atomic<int>& left) {
  const auto session = residual.load();
  for (int64_t i = 0; left > 0; ++i) {
    residual.run_and_compare(*session, 1 + i * 37 % 128, static_cast<float>(i % 7));
  }
  for (std::thread* other : others) other->join();
}

TEST(Closing, ARunThatNobodyFinishes) {
  const Residual residual(1.0f), other(2.0f);
  std::atomic<int> left = 2;
  const auto close_early = [&] {
    for (int i = 0; i < kRounds; ++i) {
      const auto session = other.load();
      other.start(*session, 20 + i, 1.0f);
    }
    --left;
  };
  std::thread a(close_early), b(close_early);
  run_beside({&a, &b}, residual, left);
}

TEST(Closing, ALoadThatNobodyFinishes) {
  const Residual residual(1.0f), other(-2.0f);
  std::atomic<int> left = 2;
  const auto leave_early = [&] {
    for (int parts = 0; parts < 2 * kRounds; ++parts) {
      const auto loading = other.start_load();
      for (int i = 0; i < parts; ++i) (void)loading->advance();
    }
    --left;
  };
  std::thread a(leave_early), b(leave_early);
  run_beside({&a, &b}, residual, left);
}

// A session is for one thread at a time, and need not be for the same one.
TEST(Closing, ASessionThatGoesFromThreadToThread) {
  const Residual residual(1.0f), other(3.0f);
  std::atomic<int> left = 1;
  auto session = other.load();
  std::thread handing([&] {
    for (int i = 0; i < kRounds; ++i) {
      other.start(*session, 50 + i, 1.0f);
      std::thread next([&] { other.finish_and_compare(*session, 50 + i, 1.0f); });
      next.join();
    }
    std::thread last([&] { session.reset(); });
    last.join();
    --left;
  });
  run_beside({&handing}, residual, left);
}

TEST(Closing, AdaptersAreListedMeanwhile) {
  const Residual residual(1.0f);
  std::atomic<int> left = 1;
  std::thread listing([&] {
    for (int i = 0; i < kRounds; ++i) EXPECT_TRUE(succeeds(devices()));
    --left;
  });
  run_beside({&listing}, residual, left);
}

}  // namespace
}  // namespace highwater
