// Profiled runs: the same outputs, and the time of every dispatch by either clock.
#include <cstring>

#include "gpu/executable.h"
#include "highwater/profile.h"
#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/residual.h"

namespace highwater {
namespace {

constexpr ProfileClock kClocks[] = {ProfileClock::Device, ProfileClock::Host};

struct Profiled : testing::TestWithParam<ProfileClock> {
  const Residual residual{0.5f};
  std::unique_ptr<Session> session = residual.load();

  ProfileClock clock = GetParam();

  // An adapter without a clock says so, and the host's then serves the test.
  void SetUp() override {
    if (clock == ProfileClock::Host || SessionAccess::adapter(*session).has(gpu::kTimestampQuery))
      return;
    EXPECT_TRUE(fails_saying(profile(1, residual.input(1, 1.0f)), {"clock", "timestamp-query"}));
    clock = ProfileClock::Host;
  }

  Result<Profile> profile(int64_t rows, const std::vector<float>& x) {
    const Input input = HostTensor{DType::Float32, {rows, Residual::kWidth}, x.data()};
    return session->profile({&input, 1}, clock);
  }

  std::vector<float> output(int64_t rows) const {
    std::vector<float> y(static_cast<size_t>(rows * Residual::kWidth));
    EXPECT_TRUE(
        succeeds(session->read_output(0, DType::Float32, std::as_writable_bytes(std::span(y)))));
    return y;
  }
};

TEST_P(Profiled, RunsGiveWhatOtherRunsGiveBeforeAndAfterThem) {
  for (int64_t n : {128, 37, 1, 100}) {
    const std::vector<float> x = residual.input(n, 0.25f);
    const auto profiled = profile(n, x);
    ASSERT_TRUE(succeeds(profiled));
    EXPECT_EQ(session->output_dims(0), (Dims{n, Residual::kWidth}));
    EXPECT_EQ(session->output_scalar(1), n);
    const std::vector<float> y = output(n);
    residual.run_and_compare(*session, n, 0.25f);
    EXPECT_EQ(y, output(n)) << n;
    EXPECT_EQ(session->run_accounts().passes, 1u);
    EXPECT_EQ(session->run_accounts().submits, 1u);
    EXPECT_EQ(session->run_accounts().planned_nodes, 0u) << "the profiled run has planned";
  }
}

TEST_P(Profiled, DispatchesAreToldInOrderWithTheirOps) {
  const auto profiled = profile(37, residual.input(37, 1.0f));
  ASSERT_TRUE(succeeds(profiled));
  EXPECT_EQ(profiled->clock, clock);
  const auto& all = profiled->dispatches;
  ASSERT_EQ(all.size(), 3u);
  const char* ops[] = {"aten.add.Tensor", "aten.mul.Tensor", "aten.add.Tensor"};
  const std::vector<std::string> kernels = session->kernels();
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].op, ops[i]);
    EXPECT_EQ(all[i].kernel, kernels[i]);
    EXPECT_EQ(all[i].x, SessionAccess::dispatches(*session)[i].x);
    EXPECT_EQ(all[i].y, SessionAccess::dispatches(*session)[i].y);
    EXPECT_LT(all[i].duration_ns, 60'000'000'000u);
  }
  EXPECT_EQ(all[0].reads, (std::vector<Dims>{{37, 24}, {24}}));
  EXPECT_EQ(all[1].writes, (std::vector<Dims>{{74, 12}}));
  EXPECT_EQ(all[0].start_ns, 0u);
  EXPECT_GE(all[1].start_ns, all[0].duration_ns);
  EXPECT_GE(all[2].start_ns, all[1].start_ns + all[1].duration_ns);
}

TEST_P(Profiled, AccountsTellWhatItTook) {
  const bool by_device = clock == ProfileClock::Device;
  for (int run = 0; run < 2; ++run) {
    const auto profiled = profile(64, residual.input(64, 1.0f));
    ASSERT_TRUE(succeeds(profiled));
    const Accounts& a = session->run_accounts();
    EXPECT_EQ(a.dispatches, 3u);
    EXPECT_EQ(a.passes, 3u);
    EXPECT_EQ(a.submits, by_device ? 1u : 8u)
        << "uploads, thrice nothing, dispatches, reading back";
    EXPECT_EQ(a.gpu_objects, by_device && run == 0 ? 3u : 0u) << "kept for the next time";
    EXPECT_EQ(profiled->empty_ns > 0, !by_device);
  }
}

TEST_P(Profiled, NothingToDispatchIsNoTime) {
  const auto profiled = profile(0, {});
  ASSERT_TRUE(succeeds(profiled));
  EXPECT_TRUE(profiled->dispatches.empty());
  residual.run_and_compare(*session, 5, 1.0f);
}

TEST_P(Profiled, BadCallsAreErrorsAndTheNextGoodOneIsRight) {
  EXPECT_TRUE(fails_saying(profile(129, residual.input(129, 1.0f)), {"input 0"}));
  ASSERT_TRUE(succeeds(profile(12, residual.input(12, 1.0f))));
  residual.run_and_compare(*session, 12, 1.0f);
}

INSTANTIATE_TEST_SUITE_P(Clocks, Profiled, testing::ValuesIn(kClocks), [](const auto& which) {
  return which.param == ProfileClock::Device ? "Device" : "Host";
});

TEST(Profile, UsesTheDevicesClockWhereThereIsOne) {
  const Residual residual(1.0f);
  const auto session = residual.load();
  const std::vector<float> x = residual.input(9, 1.0f);
  const Input input = HostTensor{DType::Float32, {9, Residual::kWidth}, x.data()};
  const auto profiled = session->profile({&input, 1});
  ASSERT_TRUE(succeeds(profiled));
  EXPECT_EQ(profiled->clock == ProfileClock::Device,
            SessionAccess::adapter(*session).has(gpu::kTimestampQuery));
}

// A set of timestamps serves 2048 passes.
TEST(Profile, MoreDispatchesThanOneQuerySetHasRoomFor) {
  constexpr const char* kCount = R"(
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn main() { y[0] += 1u; }
)";
  auto device = gpu::Device::open();
  if (!device) give_up(device.error());
  ASSERT_TRUE((*device)->adapter().has(gpu::kTimestampQuery)) << "this adapter has no clock";
  gpu::ExecutableSpec spec;
  spec.buffers = {{16}};
  spec.steps = {{"count", kCount, {{0, true}}, 0, 0}};
  spec.read_back_size = 16;
  Accounts accounts;
  auto made = gpu::Executable::create(*device, spec, accounts);
  ASSERT_TRUE(succeeds(made));
  uint32_t count = 1;  // by the warm-up
  for (size_t dispatches : {5000u, 2048u, 2049u}) {
    const std::vector<gpu::Dispatch> all(dispatches, {0, 1, 1});
    const gpu::ReadBack read_back{0, 16};
    gpu::Timing timing;
    const gpu::Work work{.dispatches = all, .read_backs = {&read_back, 1}};
    ASSERT_TRUE(succeeds((*made)->run({&work, 1}, accounts, &timing)));
    count += static_cast<uint32_t>(dispatches);
    uint32_t counted = 0;
    std::memcpy(&counted, (*made)->result(0).data(), sizeof counted);
    EXPECT_EQ(counted, count);
    ASSERT_EQ(timing.dispatches.size(), dispatches);
    for (size_t i = 0; i < dispatches; ++i) {
      EXPECT_GT(timing.dispatches[i].begin, 0u) << i;
      EXPECT_LE(timing.dispatches[i].begin, timing.dispatches[i].end) << i;
      const uint64_t before = i ? timing.dispatches[i - 1].end : 0;
      EXPECT_LE(before, timing.dispatches[i].begin) << i;
    }
  }
}

}  // namespace
}  // namespace highwater
