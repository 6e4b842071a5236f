// Dims that meet: what stretches is settled when a program is exported, at the bounds.
#include "support/engine.h"

namespace highwater {
namespace {

// The dims of a sum of two inputs of these bounds, at live dims; or why there are none.
class Sum {
 public:
  Sum(const Dims& a, const Dims& b, const Dims& y) : engine_(program(a, b, y)) {}

  Result<Dims> operator()(const Dims& a, const Dims& b) {
    HW_CHECK(engine_.call({of_dims(a), of_dims(b)}));
    return engine_.dims(engine_.graph().outputs[0]);
  }

 private:
  static Program program(const Dims& a, const Dims& b, const Dims& y) {
    ProgramBuilder builder;
    const ValueId x = builder.input(a), z = builder.input(b);
    builder.output(builder.apply("aten.add.Tensor", {x, z, builder.integer(1)}, y));
    return builder.program();
  }

  Engine engine_;
};

void expect_dims(Result<Dims> dims, const Dims& wanted) {
  ASSERT_TRUE(succeeds(dims));
  EXPECT_EQ(*dims, wanted);
}

TEST(Broadcast, AlignsAtTheEnd) {
  Sum sum({5, 1, 3}, {4, 1}, {5, 4, 3});
  expect_dims(sum({5, 1, 3}, {4, 1}), {5, 4, 3});
  expect_dims(sum({2, 1, 3}, {3, 1}), {2, 3, 3});
  expect_dims(sum({0, 1, 3}, {3, 1}), {0, 3, 3});
  expect_dims(sum({1, 1, 1}, {1, 1}), {1, 1, 1});
  expect_dims(sum({5, 1, 3}, {4, 1}), {5, 4, 3});
}

TEST(Broadcast, OfNoDimsAtAll) {
  Sum sum({}, {7, 2}, {7, 2});
  expect_dims(sum({}, {3, 2}), {3, 2});
  expect_dims(sum({}, {0, 2}), {0, 2});
}

TEST(Broadcast, ALiveDimThatHappensToBeOneDoesNotStretch) {
  Sum sum({8, 6}, {8, 6}, {8, 6});
  expect_dims(sum({3, 6}, {3, 6}), {3, 6});
  EXPECT_TRUE(fails_saying(sum({1, 6}, {3, 6}), {"[1, 6] (at most [8, 6]) and [3, 6]"}));
  EXPECT_TRUE(fails_saying(sum({3, 1}, {3, 6}), {"do not broadcast"}));
  expect_dims(sum({1, 6}, {1, 6}), {1, 6});
  EXPECT_FALSE(sum({0, 6}, {2, 6}).ok());
  expect_dims(sum({8, 6}, {8, 6}), {8, 6});
}

TEST(Broadcast, ADimThatMeetsAConstantIsFixed) {
  ProgramBuilder b;
  const ValueId x = b.input({8, 6});
  const ValueId y = b.apply("aten.mul.Tensor", {x, b.constant({6}, "w")}, {8, 6});
  b.output(y);
  Engine engine(b.program());
  EXPECT_TRUE(succeeds(engine.call({of_dims({5, 6})})));
  for (const int64_t width : {1, 0, 5}) {
    EXPECT_TRUE(fails_saying(engine.call({of_dims({5, width})}), {"aten.mul.Tensor", "[6]"}));
    EXPECT_TRUE(succeeds(engine.call({of_dims({1, 6})})));
    EXPECT_EQ(engine.dims(y), (Dims{1, 6}));
  }
}

// Each good call comes after a bad one, at lengths that shrink and grow.
TEST(Broadcast, ABiasServesAllRowsOrColumnsIfItWasExportedSo) {
  ProgramBuilder b;
  const ValueId bias = b.input({8, 1}), x = b.input({8, 4}), w = b.input({4, 8});
  const ValueId one = b.integer(1);
  const ValueId y = b.apply("aten.addmm.default", {bias, x, w, one, one}, {8, 8});
  b.output(y);
  Engine engine(b.program());
  for (const int64_t rows : {8, 5, 1, 7}) {
    EXPECT_TRUE(succeeds(engine.call({of_dims({rows, 1}), of_dims({rows, 4}), of_dims({4, 5})})));
    EXPECT_EQ(engine.dims(y), (Dims{rows, 5}));
    // One row of a bias that had eight.
    const auto bad = engine.call({of_dims({1, 1}), of_dims({3, 4}), of_dims({4, 5})});
    EXPECT_TRUE(fails_saying(bad, {"aten.addmm", "a bias of dims [1, 1]", "3 rows of 5"}));
  }
}

TEST(Broadcast, AnExpansionStretchesWhatWasExportedAsOne) {
  ProgramBuilder b;
  const ValueId x = b.input({1, 6}), z = b.input({8, 6}), n = b.input_scalar();
  const ValueId sizes = b.list({n, b.integer(6)});
  const ValueId y = b.apply("aten.expand_copy.default", {x, sizes}, {8, 6});
  const ValueId same = b.apply("aten.expand_copy.default", {z, sizes}, {8, 6});
  b.output(y).output(same);
  Engine engine(b.program());
  for (const int64_t rows : {8, 3, 1, 7}) {
    EXPECT_TRUE(succeeds(engine.call({of_dims({1, 6}), of_dims({rows, 6}), rows})));
    EXPECT_EQ(engine.dims(y), (Dims{rows, 6}));
    const auto bad = engine.call({of_dims({1, 6}), of_dims({1, 6}), int64_t{5}});
    EXPECT_TRUE(fails_saying(bad, {"aten.expand_copy", "cannot expand to 5"}));
  }
}

TEST(Broadcast, AMaskOfOneRowServesAllQueriesIfItWasExportedSo) {
  for (const int64_t bound : {1, 8}) {
    ProgramBuilder b;
    const ValueId q = b.input({1, 2, 8, 4}), k = b.input({1, 2, 8, 4});
    const ValueId mask = b.input({1, 1, bound, 8});
    const ValueId y = b.apply("et_vk.sdpa.default", {q, k, k, mask, b.number(1.0)}, {1, 2, 8, 4});
    b.output(y);
    Engine engine(b.program());
    for (const int64_t length : {8, 3, 1, 7}) {
      const Input rows = of_dims({1, 2, length, 4});
      const int64_t height = bound == 1 ? 1 : length;
      EXPECT_TRUE(succeeds(engine.call({rows, rows, of_dims({1, 1, height, length})})));
      EXPECT_EQ(engine.dims(y), (Dims{1, 2, length, 4}));
      const Input five = of_dims({1, 2, 5, 4});
      const Status one_row = engine.call({five, five, of_dims({1, 1, 1, 5})});
      EXPECT_EQ(one_row.ok(), bound == 1);
      const Status narrow = engine.call({five, five, of_dims({1, 1, 1, 4})});
      EXPECT_TRUE(fails_saying(narrow, {"a mask of dims [1, 1, 1, 4]", "5 keys"}));
    }
  }
}

}  // namespace
}  // namespace highwater
