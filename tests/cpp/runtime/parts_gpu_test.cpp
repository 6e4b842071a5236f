// Tensors over the limit of a binding are bound in parts; nobody can tell by the numbers.
#include <cstdlib>

#include "support/expect.h"
#include "support/program_builder.h"
#include "support/residual.h"

namespace highwater {
namespace {

constexpr const char* kVariable = "HIGHWATER_BINDING_BYTES";

class Parts : public testing::Test {
 protected:
  ~Parts() override { ::unsetenv(kVariable); }
  static void bind_at_most(const char* bytes) { ::setenv(kVariable, bytes, 1); }
};

std::vector<float> read_first(const Session& session) {
  std::vector<float> y(static_cast<size_t>(session.output_dims(0).numel()));
  auto bytes = std::as_writable_bytes(std::span(y));
  if (Status read = session.read_output(0, DType::Float32, bytes); !read) give_up(read.error());
  return y;
}

// A few live lengths, one of which is refused.
std::vector<std::vector<float>> outputs_of(const Residual& residual) {
  const auto session = residual.load();
  std::vector<std::vector<float>> all;
  for (int64_t rows : Residual::kLengths) {
    const std::vector<float> x = residual.input(rows, static_cast<float>(rows) * 0.01f);
    const Input given = HostTensor{DType::Float32, {rows, Residual::kWidth}, x.data()};
    if (Status ran = session->run({&given, 1}); !ran) give_up(ran.error());
    EXPECT_EQ(session->run_accounts().gpu_objects, 0u);
    all.push_back(read_first(*session));
  }
  return all;
}

TEST_F(Parts, GiveTheSameBits) {
  const Residual residual(0.5f);
  const auto whole = outputs_of(residual);
  for (const char* bytes : {"2048", "3000", "4096"}) {
    bind_at_most(bytes);
    EXPECT_EQ(outputs_of(residual), whole) << bytes;
  }
}

// A value may be small, and its buffer large, because they are shared.
TEST_F(Parts, AreOfTheValueAndNotOfTheBuffer) {
  bind_at_most("1024");
  ProgramBuilder b;
  const Dims bound{16, 64};
  const ValueId x = b.input(bound);
  const ValueId wide = b.apply("aten.relu.default", {x}, bound);
  const ValueId sum =
      b.apply("aten.sum.dim_IntList", {wide, b.integers({1}), b.flag(true)}, {16, 1});
  const ValueId narrow = b.apply("aten.neg.default", {sum}, {16, 1});
  b.output(b.apply("aten.neg.default", {narrow}, {16, 1}));
  const auto session = SessionAccess::load(b.program(), nullptr);
  ASSERT_TRUE(succeeds(session));
  const std::vector<float> ones(16 * 64, 1.0f);
  const Input given = HostTensor{DType::Float32, {5, 64}, ones.data()};
  ASSERT_TRUE(succeeds((*session)->run({&given, 1})));
  EXPECT_EQ(read_first(**session), std::vector<float>(5, 64.0f));
}

TEST_F(Parts, AreRefusedWhereThereAreTooMany) {
  bind_at_most("256");
  ProgramBuilder b;
  const ValueId x = b.input({64, 64});
  b.output(b.apply("aten.relu.default", {x}, {64, 64}));
  EXPECT_TRUE(
      fails_saying(SessionAccess::load(b.program(), nullptr),
                   {"aten.relu.default", "float32, at most [64, 64]", "takes 64", "256 bytes"}));
}

TEST_F(Parts, HaveASizeThatMeansSomething) {
  for (const char* bytes : {"some", "12", "-1", "nan"}) {
    bind_at_most(bytes);
    ProgramBuilder b;
    const ValueId x = b.input({4});
    b.output(b.apply("aten.relu.default", {x}, {4}));
    EXPECT_TRUE(
        fails_saying(SessionAccess::load(b.program(), nullptr), {kVariable, bytes, "from 256"}));
  }
}

}  // namespace
}  // namespace highwater
