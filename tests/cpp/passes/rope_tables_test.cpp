// Rotary embeddings read their tables at a live position, instead of copies of the live rows.
#include <gtest/gtest.h>

#include <limits>

#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kSlice = "aten.slice_copy.Tensor", kRope = "et_vk.apply_rotary_emb.default";
const Dims kTurnedRows{4, 8};

// q and k turned by rows of two tables.
struct Turned : ProgramBuilder {
  ValueId cosines = constant({32, 8}, "cosines"), sines = constant({32, 8}, "sines");
  ValueId start = input_scalar(), end = integer(4);

  ValueId rows(ValueId table, ValueId from) {
    return apply(kSlice, {table, integer(0), from, end, integer(1)}, kTurnedRows);
  }
  ValueId view(ValueId x) {
    return apply("aten.view_copy.default", {x, integers({4, 8})}, kTurnedRows);
  }
  Turned& turn(ValueId cosine_rows, ValueId sine_rows) {
    const Dims q_dims{1, 4, 3, 16}, k_dims{1, 4, 1, 16};
    const ValueId q = input(q_dims), k = input(k_dims);
    const ValueId q_out = tensor(q_dims), k_out = tensor(k_dims);
    call(kRope, {q, k, cosine_rows, sine_rows, list({q_out, k_out})});
    output(q_out).output(k_out);
    return *this;
  }
};

TEST(RopeTables, AreReadInPlace) {
  Turned b;
  b.turn(b.rows(b.cosines, b.start), b.rows(b.sines, b.start));
  const Rewritten after(b, fold_rope_tables);
  ASSERT_EQ(after.names(), Names{"hw.rope.at"});
  const auto& args = after.args(0);
  EXPECT_EQ(args[2], b.cosines);
  EXPECT_EQ(args[3], b.sines);
  EXPECT_EQ(args[4], b.start);
}

TEST(RopeTables, ByEveryLayer) {
  Turned b;
  const ValueId cosines = b.rows(b.cosines, b.start), sines = b.rows(b.sines, b.start);
  b.turn(cosines, sines).turn(cosines, sines);
  EXPECT_EQ(Rewritten(b, fold_rope_tables).names(), (Names{"hw.rope.at", "hw.rope.at"}));
}

TEST(RopeTables, ThroughViews) {
  Turned b;
  b.turn(b.view(b.rows(b.cosines, b.start)), b.view(b.rows(b.sines, b.start)));
  EXPECT_EQ(Rewritten(b, fold_rope_tables).names(), Names{"hw.rope.at"});
}

TEST(RopeTables, ThroughClones) {
  Turned b;
  const ValueId none = b.null();
  const auto clone = [&](ValueId x) {
    return b.apply("aten.clone.default", {x, none}, kTurnedRows);
  };
  const ValueId cosines = clone(b.rows(b.cosines, b.start));
  const ValueId sines = clone(b.rows(b.sines, b.start));
  b.turn(cosines, sines).turn(cosines, sines);
  EXPECT_EQ(Rewritten(b, fold_rope_tables).names(), (Names{"hw.rope.at", "hw.rope.at"}));
}

TEST(RopeTables, RowsThatAreReadElsewhereStay) {
  Turned b;
  const ValueId cosines = b.rows(b.cosines, b.start);
  b.turn(cosines, b.rows(b.sines, b.start)).output(cosines);
  EXPECT_EQ(Rewritten(b, fold_rope_tables).names(), (Names{kSlice, "hw.rope.at"}));
}

TEST(RopeTables, LeavesRowsFromDifferentPlaces) {
  Turned b;
  b.turn(b.rows(b.cosines, b.start), b.rows(b.sines, b.input_scalar()));
  EXPECT_TRUE(leaves_alone(b, fold_rope_tables));
}

TEST(RopeTables, LeavesTablesThatAreNoSlices) {
  Turned b;
  b.turn(b.input(kTurnedRows), b.rows(b.sines, b.start));
  EXPECT_TRUE(leaves_alone(b, fold_rope_tables));
}

TEST(RopeTables, LeavesSlicesOfColumnsAndOfEveryOtherRow) {
  Turned columns, sparse;
  const ValueId wide = columns.constant({4, 32}, "wide");
  const ValueId part = columns.apply(
      kSlice,
      {wide, columns.integer(1), columns.integer(8), columns.integer(16), columns.integer(1)},
      kTurnedRows);
  columns.turn(part, part);
  EXPECT_TRUE(leaves_alone(columns, fold_rope_tables));

  const ValueId every_other = sparse.apply(
      kSlice,
      {sparse.cosines, sparse.integer(0), sparse.integer(8), sparse.integer(16), sparse.integer(2)},
      kTurnedRows);
  sparse.turn(every_other, every_other);
  EXPECT_TRUE(leaves_alone(sparse, fold_rope_tables));
}

TEST(RopeTables, TakesALiteralStart) {
  Turned b;
  const ValueId start = b.number(2);  // as exporters may write it
  b.end = b.integer(6);
  b.turn(b.rows(b.cosines, start), b.rows(b.sines, start));
  EXPECT_EQ(Rewritten(b, fold_rope_tables).names(), Names{"hw.rope.at"});
}

TEST(RopeTables, LeavesAStartThatIsCountedFromTheEnd) {
  Turned b;
  const ValueId start = b.integer(-4);
  b.end = b.integer(std::numeric_limits<int64_t>::max());
  b.turn(b.rows(b.cosines, start), b.rows(b.sines, start));
  EXPECT_TRUE(leaves_alone(b, fold_rope_tables));
}

TEST(RopeTables, LeavesAStartThatIsLeftOut) {
  Turned b;
  const ValueId start = b.null();
  b.turn(b.rows(b.cosines, start), b.rows(b.sines, start));
  EXPECT_TRUE(leaves_alone(b, fold_rope_tables));
}

}  // namespace
}  // namespace highwater
