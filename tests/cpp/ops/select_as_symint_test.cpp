// A live scalar that is an element of a tensor which the caller gives.
#include "support/engine.h"

namespace highwater {
namespace {

struct Selects {
  ProgramBuilder b;
  ValueId x;
  ValueId n;
  Selects(const Dims& bound, DType dtype, int64_t dim, int64_t index)
      : x(b.input(bound, dtype)),
        n(b.apply_scalar("et_vk.select_as_symint.default", {x, b.integer(dim), b.integer(index)})) {
    b.output(n);
  }
};

template <class T>
Result<int64_t> select(DType dtype, const std::vector<T>& elements, const Dims& bound,
                       const Dims& live, int64_t dim, int64_t index) {
  Selects s(bound, dtype, dim, index);
  Engine engine(s.b.program());
  HW_CHECK(engine.call({HostTensor{dtype, live, elements.data()}}));
  return engine.scalar(s.n);
}

TEST(SelectAsSymInt, ReadsEveryIntegerDType) {
  EXPECT_EQ(*select<int64_t>(DType::Int64, {5, -6, 7}, {3}, {3}, 0, 1), -6);
  EXPECT_EQ(*select<int32_t>(DType::Int32, {5, -6, 7}, {3}, {3}, 0, 1), -6);
  EXPECT_EQ(*select<int8_t>(DType::Int8, {5, -6, 7}, {3}, {3}, 0, 1), -6);
  EXPECT_EQ(*select<uint8_t>(DType::UInt8, {5, 250, 7}, {3}, {3}, 0, 1), 250);
  EXPECT_EQ(*select<uint8_t>(DType::Bool, {0, 1, 0}, {3}, {3}, 0, 1), 1);
}

TEST(SelectAsSymInt, NegativeIndicesCountFromTheLiveEnd) {
  const std::vector<int64_t> positions{10, 11, 12, 13, 14, 15, 16, 17};
  EXPECT_EQ(*select(DType::Int64, positions, {8}, {8}, 0, -1), 17);
  EXPECT_EQ(*select(DType::Int64, positions, {8}, {3}, 0, -1), 12);
  EXPECT_EQ(*select(DType::Int64, positions, {8}, {3}, 0, -3), 10);
  EXPECT_EQ(*select(DType::Int64, positions, {8}, {3}, -1, -2), 11);
  EXPECT_EQ(*select(DType::Int64, positions, {1, 8}, {1, 3}, 1, -1), 12);
  EXPECT_EQ(*select(DType::Int64, positions, {}, {}, 0, 0), 10);
}

TEST(SelectAsSymInt, IndexOutsideTheLiveSizeIsAnError) {
  const std::vector<int64_t> positions(8);
  EXPECT_TRUE(fails_saying(select(DType::Int64, positions, {8}, {3}, 0, 3),
                           {"select_as_symint", "index 3", "[3]"}));
  EXPECT_TRUE(fails_saying(select(DType::Int64, positions, {8}, {3}, 0, -4), {"index -4", "[3]"}));
  EXPECT_TRUE(fails_saying(select(DType::Int64, positions, {8}, {0}, 0, 0), {"index 0", "[0]"}));
  EXPECT_TRUE(fails_saying(select(DType::Int64, positions, {2, 4}, {2, 4}, 1, 0),
                           {"more than one element"}));
}

TEST(SelectAsSymInt, FloatsAreRefused) {
  Selects s({3}, DType::Float32, 0, 0);
  EXPECT_TRUE(fails_saying(Graph::build(s.b.program()),
                           {"select_as_symint", "tensor 0", "an integer dtype"}));
}

TEST(SelectAsSymInt, ComputedTensorsAreRefusedAndViewsOfInputsAreNot) {
  ProgramBuilder b;
  const ValueId x = b.input({4, 1}, DType::Int32), zero = b.integer(0);
  const ValueId computed = b.apply("toy.copy", {x}, {4, 1}, DType::Int32);
  b.apply_scalar("et_vk.select_as_symint.default", {computed, zero, zero});
  EXPECT_TRUE(fails_saying(Graph::build(b.program()), {"select_as_symint", "on the device"}));

  ProgramBuilder c;
  const ValueId y = c.input({4, 1}, DType::Int32);
  const ValueId flat = c.apply("toy.narrow", {y, c.integer(1)}, {4, 1}, DType::Int32);
  const ValueId n =
      c.apply_scalar("et_vk.select_as_symint.default", {flat, c.integer(0), c.integer(-1)});
  Engine engine(c.output(n).program());
  const int32_t elements[] = {6, 7, 8, 9};
  ASSERT_TRUE(succeeds(engine.call({HostTensor{DType::Int32, {3, 1}, elements}})));
  EXPECT_EQ(engine.scalar(n), 8);
}

TEST(SelectAsSymInt, ElementIsReadAnewInEveryCallThoughNoDimsChanged) {
  ProgramBuilder b;
  const ValueId positions = b.input({1}, DType::Int64), x = b.input({16, 4});
  const ValueId zero = b.integer(0);
  const ValueId n = b.apply_scalar("et_vk.select_as_symint.default", {positions, zero, zero});
  const ValueId y = b.apply("toy.take", {x, n}, {16, 4});
  Engine engine(b.output(y).program());
  for (int64_t position : {3, 4, 4, 12, 0}) {
    ASSERT_TRUE(succeeds(engine.call({HostTensor{DType::Int64, {1}, &position}, rows(16)})));
    EXPECT_EQ(engine.scalar(n), position);
    EXPECT_EQ(engine.dims(y), (Dims{position, 4}));
  }
}

TEST(SelectAsSymInt, UnchangedElementPlansOnlyItsOwnNode) {
  ProgramBuilder b;
  const ValueId positions = b.input({1}, DType::Int64), x = b.input({16, 4});
  const ValueId zero = b.integer(0);
  const ValueId n = b.apply_scalar("et_vk.select_as_symint.default", {positions, zero, zero});
  b.output(b.apply("toy.take", {x, n}, {16, 4}));
  Engine engine(b.program());
  const int64_t five = 5;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(succeeds(engine.call({HostTensor{DType::Int64, {1}, &five}, rows(16)})));
  }
  EXPECT_EQ(engine.planned_nodes(), 1u);
}

}  // namespace
}  // namespace highwater
