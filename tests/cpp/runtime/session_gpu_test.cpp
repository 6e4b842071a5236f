// A whole session on a device, at every live length.
#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/program_builder.h"
#include "support/residual.h"

namespace highwater {
namespace {

TEST(Session, IsRightAtEveryLengthInTurn) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  for (int64_t n : Residual::kLengths)
    residual.run_and_compare(*session, n, static_cast<float>(n) * 0.01f);
}

TEST(Session, RunCostsOnePassOneSubmitAndOneParamsWriteAtMost) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  int64_t before = Residual::kMostRows;
  for (int64_t n : Residual::kLengths) {
    residual.run_and_compare(*session, n, 1.0f);
    const Accounts& a = session->run_accounts();
    EXPECT_EQ(a.passes, n == 0 ? 0u : 1u) << n;
    EXPECT_EQ(a.dispatches, n == 0 ? 0u : 3u) << n << ": two adds and a product; views are free";
    EXPECT_LE(a.submits, 1u) << n;
    EXPECT_LE(a.params_writes, n == before ? 0u : 1u) << n;
    EXPECT_EQ(a.gpu_objects, 0u) << n;
    EXPECT_EQ(a.uploaded_bytes, static_cast<uint64_t>(n * Residual::kWidth) * sizeof(float));
    EXPECT_EQ(a.read_back_bytes, a.uploaded_bytes);
    EXPECT_EQ(a.planned_nodes == 0, n == before) << n;
    before = n;
  }
}

TEST(Session, SameLengthAgainPlansAndWritesNothing) {
  const Residual residual(2.0f);
  const auto session = residual.load();
  residual.run_and_compare(*session, 37, 1.0f);
  EXPECT_EQ(session->run_accounts().params_writes, 1u);
  residual.run_and_compare(*session, 37, 2.0f);
  EXPECT_EQ(session->run_accounts().planned_nodes, 0u);
  EXPECT_EQ(session->run_accounts().params_writes, 0u);
}

TEST(Session, BadCallsAreErrorsAndTheNextGoodOneIsRight) {
  const Residual residual(1.0f);
  const auto session = residual.load();
  residual.run_and_compare(*session, 50, 1.0f);
  const std::vector<float> x = residual.input(129, 1.0f);
  const std::vector<int64_t> integers(24);
  const Input bad[] = {
      HostTensor{DType::Float32, {129, 24}, x.data()},
      HostTensor{DType::Float32, {24, 50}, x.data()},
      HostTensor{DType::Float32, {24}, x.data()},
      HostTensor{DType::Int64, {1, 24}, integers.data()},
      int64_t{3},
  };
  for (const Input& input : bad) EXPECT_TRUE(fails_saying(session->run({&input, 1}), {"input 0"}));
  EXPECT_TRUE(fails_saying(session->run({}), {"1 inputs"}));
  EXPECT_EQ(session->output_dims(0), (Dims{50, 24})) << "still those of the last good run";
  residual.run_and_compare(*session, 50, 3.0f);
  residual.run_and_compare(*session, 7, 4.0f);
}

TEST(Session, OutputsAreReadOnlyIntoMemoryThatFits) {
  const Residual residual(1.0f);
  const auto session = residual.load();
  residual.run_and_compare(*session, 2, 1.0f);
  std::vector<std::byte> memory(2 * 24 * 8);
  const std::span to(memory);
  EXPECT_TRUE(fails_saying(session->read_output(0, DType::Float32, to.first(2 * 24 * 4 - 4)),
                           {"output 0", "[2, 24]", "188 bytes", "float32"}));
  EXPECT_TRUE(fails_saying(session->read_output(0, DType::Int32, to.first(2 * 24 * 4)), {"int32"}));
  EXPECT_TRUE(succeeds(session->read_output(0, DType::Float64, to)));
  EXPECT_TRUE(succeeds(session->read_output(0, DType::Float16, to.first(2 * 24 * 2))));
}

TEST(Session, MissingConstantIsAnErrorThatNamesIt) {
  ProgramBuilder b;
  const ValueId x = b.input({4, 4});
  const ValueId w = b.constant({4}, "lost");
  b.output(b.apply("aten.add.Tensor", {x, w, b.integer(1)}, {4, 4}));
  const auto nothing = [](const std::string& key, Stretch, const UseBytes&) -> Status {
    return fail("nothing under '", key, "'");
  };
  EXPECT_TRUE(
      fails_saying(SessionAccess::load(b.program(), nothing), {"constant tensor 1", "'lost'"}));
  const auto short_of_it = [](const std::string&, Stretch wanted, const UseBytes& use) -> Status {
    const std::byte few[8] = {};
    return use_stretch(few, wanted, use);
  };
  EXPECT_TRUE(fails_saying(SessionAccess::load(b.program(), short_of_it),
                           {"constant tensor 1", "8 bytes", "16 are needed"}));
}

TEST(Session, WhatFollowsFromConstantsAloneIsComputedOnce) {
  ProgramBuilder b;
  const ValueId x = b.input({4, 4}), one = b.integer(1);
  const ValueId w = b.constant({4}, "w");
  const ValueId doubled = b.apply("aten.add.Tensor", {w, w, one}, {4});
  b.output(b.apply("aten.add.Tensor", {x, doubled, one}, {4, 4}));
  const auto source = [](const std::string&, Stretch wanted, const UseBytes& use) -> Status {
    const float values[] = {1, 2, 3, 4};
    return use_stretch(std::as_bytes(std::span(values)), wanted, use);
  };
  auto session = SessionAccess::load(b.program(), source);
  ASSERT_TRUE(succeeds(session));
  for (size_t run = 0; run < 3; ++run) {
    const float given[] = {10, 20, 30, 40};
    const Input input = HostTensor{DType::Float32, {1, 4}, given};
    ASSERT_TRUE(succeeds((*session)->run({&input, 1})));
    float y[4] = {};
    ASSERT_TRUE(
        succeeds((*session)->read_output(0, DType::Float32, std::as_writable_bytes(std::span(y)))));
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(y[i], 12.0f * static_cast<float>(i + 1));
    EXPECT_EQ((*session)->run_accounts().dispatches, run == 0 ? 2u : 1u);
  }
}

}  // namespace
}  // namespace highwater
