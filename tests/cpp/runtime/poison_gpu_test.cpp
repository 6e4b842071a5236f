// HIGHWATER_POISON: whatever an op should not have read is NaN, and shows.
#include <cmath>
#include <cstdlib>

#include "graph/op.h"
#include "support/expect.h"
#include "support/program_builder.h"
#include "support/residual.h"

namespace highwater {
namespace {

// What is easily got wrong: it looks one element past the live ones.
struct LeakyKernel {
  struct alignas(16) Params {
    uint32_t quads;
    uint32_t numel;
    uint32_t spare[2] = {};
  };
  static constexpr uint32_t kParamsSize = 16;
  static constexpr bool kWalks = false;
  static constexpr KernelSource kSource{"leaky", kParamsSize, R"(
struct Params {
  quads: u32,
  numel: u32,
}
#output y
#input x
#main q
  if (q >= params.quads) { return; }
  y_put(q, x_quad(q) + vec4<f32>(x_at(params.numel)));
}
)"};
};

class Leaky final : public Op {
 public:
  explicit Leaky(Args& a) : x_(a.tensor("x")), y_(a.out()), step_(a.step<LeakyKernel>({y_, x_})) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const auto numel = static_cast<uint32_t>(s[x_].numel());
    plan.resize(y_, s[x_]).run(step_, {(numel + 3) / 4, numel}, Grid::quads(numel));
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  Step<LeakyKernel> step_;
};

HIGHWATER_OP(Leaky, "toy.leaky(Tensor x) -> Tensor");

class Poison : public testing::Test {
 protected:
  Poison() { ::setenv("HIGHWATER_POISON", "1", 1); }
  ~Poison() override { ::unsetenv("HIGHWATER_POISON"); }
};

// The first element of what the leaky op makes of four rows, after sixteen.
float leak(bool from_input) {
  ProgramBuilder b;
  const Dims bound{16, 4};
  const ValueId x = b.input(bound);
  const ValueId h = from_input ? x : b.apply("aten.add.Tensor", {x, x, b.integer(1)}, bound);
  b.output(b.apply("toy.leaky", {h}, bound));
  auto session = SessionAccess::load(b.program(), nullptr);
  if (!session) give_up(session.error());
  const std::vector<float> ones(64, 1.0f);
  std::vector<float> y(16);
  for (int64_t rows : {16, 4}) {
    const Input given = HostTensor{DType::Float32, {rows, 4}, ones.data()};
    if (Status ran = (*session)->run({&given, 1}); !ran) give_up(ran.error());
  }
  EXPECT_TRUE(
      succeeds((*session)->read_output(0, DType::Float32, std::as_writable_bytes(std::span(y)))));
  return y[0];
}

TEST_F(Poison, ShowsWhatAnOpReadsPastAnInput) {
  EXPECT_TRUE(std::isnan(leak(true)));
}

TEST_F(Poison, ShowsWhatAnOpReadsPastAComputedValue) {
  EXPECT_TRUE(std::isnan(leak(false)));
}

TEST(WithoutPoison, SuchAnOpGivesWhatTheRunBeforeHasLeft) {
  EXPECT_EQ(leak(true), 1.0f + 1.0f);
  EXPECT_EQ(leak(false), 2.0f + 2.0f);
}

TEST_F(Poison, HarmsNobodyElse) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  for (int64_t rows : Residual::kLengths) {
    residual.run_and_compare(*session, rows, static_cast<float>(rows) * 0.01f);
    EXPECT_EQ(session->run_accounts().gpu_objects, 0u);
    EXPECT_LE(session->run_accounts().passes, 1u);
  }
}

// What the call before gave is fed before it is gone.
TEST_F(Poison, LeavesWhatIsFedFromOneCallToTheNext) {
  const Residual residual(0.0f);
  const auto session = residual.load();
  std::vector<float> x = residual.input(7, 0.25f);
  const Input given = HostTensor{DType::Float32, {7, Residual::kWidth}, x.data()},
              fed = FromOutput{0};
  const size_t reads[] = {0};
  const Call calls[] = {{{&given, 1}, {}}, {{&fed, 1}, reads}};
  ASSERT_TRUE(succeeds(session->run_all(calls)));
  std::vector<float> y(x.size());
  ASSERT_TRUE(
      succeeds(session->read_output(1, 0, DType::Float32, std::as_writable_bytes(std::span(y)))));
  const std::vector<float> wanted = residual.expected(residual.expected(x));
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], wanted[i], 1e-4f * std::abs(wanted[i]));
}

}  // namespace
}  // namespace highwater
