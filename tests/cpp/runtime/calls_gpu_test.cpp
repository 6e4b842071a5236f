// Several calls in one submit, and outputs that become inputs without leaving the device.
#include "gpu/executable.h"
#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/program_builder.h"

namespace highwater {
namespace {

constexpr int64_t kMost = 100, kWidth = 4;

// y = x + step, and z = y * y. With x fed from y, it counts.
std::unique_ptr<Session> counter() {
  ProgramBuilder b;
  const Dims bound{kMost, kWidth};
  const ValueId x = b.input(bound), step = b.input({kWidth});
  const ValueId y = b.apply("aten.add.Tensor", {x, step, b.integer(1)}, bound);
  const ValueId z = b.apply("aten.mul.Tensor", {y, y}, bound);
  auto session = SessionAccess::load(b.output(y).output(z).program(), {});
  if (!session) give_up(session.error());
  return *std::move(session);
}

HostTensor tensor(const std::vector<float>& values, const Dims& dims) {
  return {DType::Float32, dims, values.data()};
}

std::vector<float> read(const Session& session, size_t call, size_t output, size_t count) {
  std::vector<float> y(count);
  EXPECT_TRUE(succeeds(
      session.read_output(call, output, DType::Float32, std::as_writable_bytes(std::span(y)))));
  return y;
}

struct Calls : testing::Test {
  std::unique_ptr<Session> session = counter();
  const std::vector<float> zeros = std::vector<float>(kMost * kWidth);
  const std::vector<float> ones = std::vector<float>(kWidth, 1.0f);
  const std::vector<float> tens = std::vector<float>(kWidth, 10.0f);

  Input one() const { return tensor(ones, {kWidth}); }
  Input ten() const { return tensor(tens, {kWidth}); }
  Input rows(int64_t n) const { return tensor(zeros, {n, kWidth}); }
};

TEST_F(Calls, OfOneSubmitFollowEachOther) {
  for (int64_t n : {7, 100, 1, 13}) {
    const Input first[] = {rows(n), one()}, next[] = {FromOutput{0}, one()},
                last[] = {FromOutput{0}, ten()};
    const size_t sum[] = {0}, both[] = {0, 1};
    const Call calls[] = {{first, sum}, {next, {}}, {next, sum}, {last, both}};
    ASSERT_TRUE(succeeds(session->run_all(calls)));
    const auto count = static_cast<size_t>(n * kWidth);
    EXPECT_EQ(read(*session, 0, 0, count), std::vector<float>(count, 1.0f));
    EXPECT_EQ(read(*session, 2, 0, count), std::vector<float>(count, 3.0f));
    EXPECT_EQ(read(*session, 3, 0, count), std::vector<float>(count, 13.0f));
    EXPECT_EQ(read(*session, 3, 1, count), std::vector<float>(count, 169.0f));
    EXPECT_EQ(session->run_accounts().submits, 1u);
    EXPECT_LE(session->run_accounts().params_writes, 1u);
    EXPECT_EQ(session->run_accounts().passes, 4u);
    EXPECT_EQ(session->run_accounts().read_back_bytes, 4 * count * sizeof(float));
    std::vector<std::byte> memory(count * sizeof(float));
    EXPECT_TRUE(fails_saying(session->read_output(1, 0, DType::Float32, memory),
                             {"output 0 of call 1", "not read back"}));
  }
}

TEST_F(Calls, OfDifferentLengthsInOneSubmitAreEachRight) {
  const Input a[] = {rows(3), one()}, b[] = {rows(50), ten()}, c[] = {FromOutput{0}, one()};
  const size_t sum[] = {0};
  const Call calls[] = {{a, sum}, {b, sum}, {c, sum}, {a, sum}};
  ASSERT_TRUE(succeeds(session->run_all(calls)));
  EXPECT_EQ(read(*session, 0, 0, 12), std::vector<float>(12, 1.0f));
  EXPECT_EQ(read(*session, 1, 0, 200), std::vector<float>(200, 10.0f));
  EXPECT_EQ(read(*session, 2, 0, 200), std::vector<float>(200, 11.0f));
  EXPECT_EQ(read(*session, 3, 0, 12), std::vector<float>(12, 1.0f));
  EXPECT_EQ(session->output_dims(0), (Dims{3, kWidth}));
}

TEST_F(Calls, OutputsStayForTheNextRun) {
  const Input first[] = {rows(5), one()}, next[] = {FromOutput{0}, ten()};
  const Call keep{first, {}};
  ASSERT_TRUE(succeeds(session->run_all({&keep, 1})));
  EXPECT_EQ(session->run_accounts().read_back_bytes, 0u);
  ASSERT_TRUE(succeeds(session->run(next)));
  EXPECT_EQ(read(*session, 0, 0, 20), std::vector<float>(20, 11.0f));
}

TEST_F(Calls, OneBadCallStopsThemAllAndTheNextRunIsRight) {
  const Input good[] = {rows(9), one()}, over[] = {rows(9), rows(2)},
              fed[] = {FromOutput{7}, one()};
  const std::vector<float> many((kMost + 1) * kWidth);
  const Input long_one[] = {tensor(many, {kMost + 1, kWidth}), one()};
  const size_t sum[] = {0}, missing[] = {5};
  ASSERT_TRUE(succeeds(session->run(good)));
  for (const auto& [bad, words] : {std::pair{Call{over, sum}, "input 1"},
                                   {Call{long_one, sum}, "[101, 4]"},
                                   {Call{fed, sum}, "output 7"},
                                   {Call{good, missing}, "output 5"}}) {
    const Input other[] = {rows(31), ten()};
    const Call calls[] = {{other, sum}, bad};
    EXPECT_TRUE(fails_saying(session->run_all(calls), {words}));
    EXPECT_EQ(session->output_dims(0), (Dims{9, kWidth})) << "still those of the last good run";
    ASSERT_TRUE(succeeds(session->run(good)));
    EXPECT_EQ(read(*session, 0, 0, 36), std::vector<float>(36, 1.0f));
  }
}

TEST_F(Calls, FeedingBeforeAnythingRanIsAnError) {
  const Input fed[] = {FromOutput{0}, one()}, good[] = {rows(2), one()};
  EXPECT_TRUE(fails_saying(session->run(fed), {"input 0", "no good call"}));
  ASSERT_TRUE(succeeds(session->run(good)));
  ASSERT_TRUE(succeeds(session->run(fed)));
  EXPECT_EQ(read(*session, 0, 0, 8), std::vector<float>(8, 2.0f));
}

TEST_F(Calls, WarmOnesAllocateNothing) {
  const Input first[] = {rows(7), one()}, next[] = {FromOutput{0}, one()};
  const size_t sum[] = {0};
  const Call calls[] = {{first, sum}, {next, sum}, {next, sum}};
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(succeeds(session->run_all(calls)));
    if (i < 2) continue;
    EXPECT_EQ(session->run_accounts().gpu_objects, 0u);
    EXPECT_EQ(session->run_accounts().heap_allocations, 0u);
  }
}

}  // namespace
}  // namespace highwater
