// Scalar ops as Python has them, within 64 bits.

#include "support/engine.h"

namespace highwater {
namespace {

// a `op` b, both given by the caller, so that nothing is known at the bound.
Result<int64_t> compute(const char* op, int64_t a, int64_t b) {
  ProgramBuilder builder;
  const ValueId x = builder.input_scalar(), y = builder.input_scalar();
  const ValueId z = builder.apply_scalar(op, {x, y});
  Engine engine(builder.output(z).program());
  HW_CHECK(engine.call({a, b}));
  return engine.scalar(z);
}

void expect(const char* op, int64_t a, int64_t b, int64_t result) {
  const auto computed = compute(op, a, b);
  ASSERT_TRUE(succeeds(computed)) << a << " " << op << " " << b;
  EXPECT_EQ(*computed, result) << a << " " << op << " " << b;
}

TEST(ScalarArithmetic, FloorDivisionAndRemainderRoundTowardsMinusInfinity) {
  for (int64_t a = -13; a <= 13; ++a) {
    for (int64_t b = -5; b <= 5; ++b) {
      if (b == 0) continue;
      // The definition: the largest q with q * |b| <= a * sign(b).
      const int64_t wanted = b > 0 ? a : -a, size = b > 0 ? b : -b;
      int64_t q = -100;
      while ((q + 1) * size <= wanted) ++q;
      expect("floordiv", a, b, q);
      expect("mod", a, b, a - q * b);
    }
  }
}

TEST(ScalarArithmetic, PlainCases) {
  expect("add", 40, 2, 42);
  expect("sub", 40, 42, -2);
  expect("mul", -6, 7, -42);
  expect("add", kMaxInt, kMinInt, -1);
  expect("sub", kMinInt, kMinInt, 0);
  expect("mul", kMinInt, 1, kMinInt);
}

TEST(ScalarArithmetic, Comparisons) {
  for (int a : {1, 2, 3}) {
    const int b = 2;
    expect("lt", a, b, a < b);
    expect("le", a, b, a <= b);
    expect("gt", a, b, a > b);
    expect("ge", a, b, a >= b);
    expect("eq", a, b, a == b);
    expect("ne", a, b, a != b);
  }
}

TEST(ScalarArithmetic, OverflowIsAnError) {
  EXPECT_TRUE(
      fails_saying(compute("add", kMaxInt, 1), {"op add", "9223372036854775807", "overflows"}));
  EXPECT_TRUE(fails_saying(compute("add", kMinInt, -1), {"overflows"}));
  EXPECT_TRUE(fails_saying(compute("sub", kMinInt, 1), {"op sub", "overflows"}));
  EXPECT_TRUE(fails_saying(compute("mul", kMaxInt, 2), {"op mul", "overflows"}));
  EXPECT_TRUE(fails_saying(compute("mul", kMinInt, -1), {"overflows"}));
  EXPECT_TRUE(fails_saying(compute("floordiv", kMinInt, -1), {"op floordiv", "overflows"}));
  expect("mod", kMinInt, -1, 0);
  expect("floordiv", kMinInt, 1, kMinInt);
  expect("floordiv", kMaxInt, kMinInt, -1);
}

TEST(ScalarArithmetic, DivisionByZeroIsAnErrorAndTheNextCallIsFine) {
  ProgramBuilder b;
  const ValueId x = b.input_scalar(), y = b.input_scalar();
  const ValueId q = b.apply_scalar("floordiv", {x, y});
  Engine engine(b.output(q).program());
  EXPECT_TRUE(fails_saying(engine.call({int64_t{7}, int64_t{0}}), {"floordiv (node 0)", "7"}));
  ASSERT_TRUE(succeeds(engine.call({int64_t{7}, int64_t{2}})));
  EXPECT_EQ(engine.scalar(q), 3);
  EXPECT_TRUE(fails_saying(engine.call({int64_t{9}, int64_t{0}}), {"floordiv"}));
  EXPECT_EQ(engine.scalar(q), 3);
  EXPECT_TRUE(fails_saying(compute("mod", 1, 0), {"op mod"}));
}

TEST(ScalarArithmetic, SymSizeChecksItsDim) {
  const auto size_along = [](int64_t dim, const Dims& dims) -> Result<int64_t> {
    ProgramBuilder b;
    const ValueId n = b.apply_scalar("sym_size.int", {b.input(dims), b.integer(dim)});
    Engine engine(b.output(n).program());
    HW_CHECK(engine.call({of_dims(dims)}));
    return engine.scalar(n);
  };
  EXPECT_EQ(*size_along(1, {5, 6, 7}), 6);
  EXPECT_EQ(*size_along(-1, {5, 6, 7}), 7);
  EXPECT_TRUE(fails_saying(size_along(3, {5, 6, 7}), {"sym_size", "dim 3"}));
  EXPECT_TRUE(fails_saying(size_along(-4, {5, 6, 7}), {"sym_size", "dim -4"}));
  EXPECT_TRUE(fails_saying(size_along(0, {}), {"sym_size", "rank 0"}));
}

}  // namespace
}  // namespace highwater
