// Every call that a load and a run make of WebGPU fails once, in every way there is. After each:
// an error that says what, nothing left behind, and the next load and run right, bit for bit.
#include <array>
#include <cmath>
#include <cstring>

#include "gpu/device.h"
#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/faulty_webgpu.h"
#include "support/program_builder.h"

namespace highwater {
namespace {

using gpu::Answering;
using gpu::Failure;
using gpu::FaultyWebGpu;

constexpr int64_t kRows = 16, kWidth = 8;
using Outputs = std::vector<float>;

// A sum with a constant. Drivers take their time for kernels, and one of a small kind is enough.
Program sum_program() {
  ProgramBuilder b;
  const Dims bound{kRows, kWidth};
  const ValueId x = b.input(bound), w = b.constant({kWidth}, "w");
  return b.output(b.apply("aten.add.Tensor", {x, w, b.integer(1)}, bound)).program();
}

Status give_weights(const std::string&, Stretch wanted, const UseBytes& use) {
  std::vector<float> weights(static_cast<size_t>(kWidth));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i) * 0.125f - 0.3f;
  return use_stretch(std::as_bytes(std::span(weights)), wanted, use);
}

Result<std::unique_ptr<Session>> load(double timeout_seconds = 300) {
  SessionOptions options;
  options.timeout_seconds = timeout_seconds;
  return SessionAccess::load(sum_program(), give_weights, options);
}

// Three calls in one submit, each of which is fed what the one before gave: bytes are staged, and
// more is read back than a single run would.
Result<Outputs> run(Session& session) {
  std::vector<float> x(static_cast<size_t>(5 * kWidth));
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  const Input given = HostTensor{DType::Float32, {5, kWidth}, x.data()}, fed = FromOutput{0};
  const size_t reads[] = {0};
  const Call calls[] = {{{&given, 1}, reads}, {{&fed, 1}, reads}, {{&fed, 1}, reads}};
  HW_CHECK(session.run_all(calls));
  Outputs all(3 * x.size());
  for (size_t i = 0; i < 3; ++i) {
    const auto part = std::span(all).subspan(i * x.size(), x.size());
    HW_CHECK(session.read_output(i, 0, DType::Float32, std::as_writable_bytes(part)));
  }
  return all;
}

Outputs load_and_run() {
  const auto session = load();
  if (!session) give_up(session.error());
  const auto outputs = run(**session);
  if (!outputs) give_up(outputs.error());
  return *outputs;
}

struct Way {
  Failure failure;
  Answering answering;
};

void PrintTo(const Way& way, std::ostream* out) {
  constexpr const char* kNames[] = {"invalid", "out of memory", "null", "lost", "silent"};
  *out << kNames[static_cast<int>(way.failure)]
       << (way.answering == Answering::Later ? ", told later" : ", told at once");
}

class EveryCall : public testing::TestWithParam<Way> {
 protected:
  EveryCall() : webgpu_(GetParam().answering) {
    webgpu_.lose_devices();
    good_ = load_and_run();
    objects_ = webgpu_.objects();
  }

  // A device without pipelines, so that the next load makes them. What it does not tell of itself
  // is measured by now.
  void open_another() {
    webgpu_.lose_devices();
    const auto device = gpu::Device::open();
    if (!device) give_up(device.error());
  }

  double timeout() const { return GetParam().failure == Failure::Silent ? 0.2 : 300; }

  // The error says what was made to fail, or what that comes to.
  template <class Outcome>
  void expect_reason(const Outcome& outcome) const {
    ASSERT_FALSE(outcome.ok()) << "nobody noticed";
    const std::string& said = outcome.error().message();
    const char* wanted =
        GetParam().failure == Failure::Silent ? "longer than" : FaultyWebGpu::kMessage;
    EXPECT_TRUE(said.find(wanted) != std::string::npos) << said;
  }

  // As if nothing had happened, on the same device if there still is one.
  void expect_all_well() {
    EXPECT_EQ(load_and_run(), good_);
    EXPECT_EQ(webgpu_.objects(), objects_);
  }

  FaultyWebGpu webgpu_;
  Outputs good_;
  size_t objects_ = 0;
};

TEST_P(EveryCall, OfALoad) {
  size_t failed = 0;
  for (size_t call = 0;; ++call) {
    SCOPED_TRACE(testing::Message() << "call " << call);
    open_another();
    webgpu_.arm({call, GetParam().failure});
    {
      auto session = load(timeout());
      const bool has_failed = webgpu_.disarm();
      if (!session) expect_reason(session);
      if (session) {
        const auto outputs = run(**session);
        ASSERT_TRUE(succeeds(outputs));
        EXPECT_EQ(*outputs, good_);
      }
      failed += has_failed;
      if (!has_failed && webgpu_.calls() <= call) break;
    }
    expect_all_well();
    if (HasFailure()) return;
  }
  EXPECT_GT(failed, 3u) << "or this test would prove nothing";
}

TEST_P(EveryCall, OfARun) {
  size_t failed = 0;
  for (size_t call = 0;; ++call) {
    SCOPED_TRACE(testing::Message() << "call " << call);
    {
      const auto session = load(timeout() == 300 ? 300 : 1);
      ASSERT_TRUE(succeeds(session));
      webgpu_.arm({call, GetParam().failure});
      const auto outputs = run(**session);
      const bool has_failed = webgpu_.disarm();
      failed += has_failed;
      if (has_failed) expect_reason(outputs);
      const auto next = run(**session);
      if (has_failed &&
          (GetParam().failure == Failure::Lost || GetParam().failure == Failure::Silent)) {
        EXPECT_TRUE(fails_saying(next, {"lost"}));
      } else {
        ASSERT_TRUE(succeeds(next));
        EXPECT_EQ(*next, good_);
      }
      if (!has_failed && webgpu_.calls() <= call) break;
    }
    expect_all_well();
    if (HasFailure()) return;
  }
  EXPECT_GT(failed, 0u) << "or this test would prove nothing";
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryCall,
                         testing::Values(Way{Failure::Invalid, Answering::AtOnce},
                                         Way{Failure::OutOfMemory, Answering::Later},
                                         Way{Failure::Null, Answering::AtOnce},
                                         Way{Failure::Lost, Answering::Later},
                                         Way{Failure::Silent, Answering::Later}));

TEST(Opening, OfADeviceThatIsRefusedOrNeverComesIsAnErrorAndTheNextOneWorks) {
  FaultyWebGpu webgpu(Answering::AtOnce);
  const Outputs good = load_and_run();
  for (const auto& [failure, words] : {std::pair(Failure::Invalid, FaultyWebGpu::kMessage),
                                       std::pair(Failure::Silent, "does not answer")}) {
    webgpu.lose_devices();
    webgpu.arm({0, failure});
    EXPECT_TRUE(fails_saying(load(), {"gave no device", words}));
    EXPECT_TRUE(webgpu.disarm());
    EXPECT_EQ(load_and_run(), good);
  }
}

TEST(Opening, OfADeviceThatComesWhenNobodyWaitsForItAnyMoreGivesItBack) {
  FaultyWebGpu webgpu(Answering::AtOnce);
  const Outputs good = load_and_run();
  webgpu.lose_devices();
  webgpu.arm({0, Failure::Silent});
  EXPECT_TRUE(fails_saying(load(), {"does not answer"}));
  EXPECT_TRUE(webgpu.disarm());
  const size_t objects = webgpu.objects();
  EXPECT_EQ(webgpu.give_belated_devices(), 1u);
  EXPECT_EQ(webgpu.objects(), objects) << "nobody else would";
  EXPECT_EQ(load_and_run(), good);
}

// As when two do not fit into the device's memory together.
TEST(TwoPrograms, OfWhichTheSecondGetsNoMemoryItIsRefusedAndTheFirstGoesOn) {
  FaultyWebGpu webgpu(Answering::Later);
  const Outputs good = load_and_run();
  const auto first = load();
  ASSERT_TRUE(succeeds(first));
  size_t refused = 0;
  for (size_t call = 0;; ++call) {
    SCOPED_TRACE(testing::Message() << "call " << call);
    webgpu.arm({call, Failure::OutOfMemory});
    const auto second = load();
    const bool has_failed = webgpu.disarm();
    if (!second) {
      EXPECT_TRUE(fails_saying(second, {FaultyWebGpu::kMessage}));
      ++refused;
    }
    const auto outputs = run(**first);
    ASSERT_TRUE(succeeds(outputs));
    EXPECT_EQ(*outputs, good);
    if (!has_failed && webgpu.calls() <= call) break;
  }
  EXPECT_GT(refused, 2u) << "or this test would prove nothing";
}

// What a device does not tell of itself is measured, and a measurement may fail.
TEST(Opening, GoesOnWhereADeviceCannotBeMeasured) {
  FaultyWebGpu webgpu(Answering::AtOnce);
  const Outputs good = load_and_run();
  webgpu.lose_devices();
  webgpu.arm({1, Failure::OutOfMemory});
  EXPECT_TRUE(succeeds(load()));
  EXPECT_TRUE(webgpu.disarm());
  EXPECT_EQ(load_and_run(), good) << "measured by the next load";
}

}  // namespace
}  // namespace highwater
