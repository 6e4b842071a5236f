// Two batched products about a softmax become attention, which reads what linear layers leave.
#include <gtest/gtest.h>

#include "support/program_builder.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kHeadView = "aten.view_copy.default", kTurned = "aten.permute_copy.default",
                  kScale = "aten.mul.Tensor", kBatched = "aten.bmm.default", kSize = "sym_size.int",
                  kSdpa = "aten.scaled_dot_product_attention.default",
                  kTurnedSdpa = "hw.sdpa.positions_first";

// Three heads of eight numbers, for up to sixteen positions, written out as exporters do it.
struct WrittenOutNet : ProgramBuilder {
  ValueId x = input({1, 16, 24});
  ValueId n = apply_scalar(kSize, {x, integer(1)});

  ValueId view(ValueId of, std::vector<ValueId> sizes, const Dims& bound) {
    return apply(kHeadView, {of, list(std::move(sizes))}, bound);
  }
  // As [1, heads, positions, numbers].
  ValueId heads(ValueId of, bool live_heads = false) {
    const ValueId three =
        live_heads ? apply_scalar(kSize, {input({3, 1}), integer(0)}) : integer(3);
    const ValueId split = view(of, {integer(1), n, three, integer(8)}, {1, 16, 3, 8});
    return apply(kTurned, {split, integers({0, 2, 1, 3})}, {1, 3, 16, 8});
  }
  ValueId turned_back(ValueId of) {
    return apply(kTurned, {of, integers({0, 2, 1, 3})}, {1, 16, 3, 8});
  }
  ValueId merged(ValueId of) { return view(of, {integer(3), n, integer(8)}, {3, 16, 8}); }
  ValueId scores(ValueId q, ValueId k) {
    const ValueId turned = apply(kTurned, {k, integers({0, 1, 3, 2})}, {1, 3, 8, 16});
    const ValueId flat = view(turned, {integer(3), integer(8), n}, {3, 8, 16});
    const ValueId product = apply(kBatched, {merged(q), flat}, {3, 16, 16});
    return view(product, {integer(1), integer(3), n, n}, {1, 3, 16, 16});
  }
  ValueId scaled(ValueId of) { return apply(kScale, {of, constant({}, "scale")}, {1, 3, 16, 16}); }
  ValueId softmax(ValueId of, int64_t dim = -1) {
    return apply("aten._softmax.default", {of, integer(dim), flag(false)}, {1, 3, 16, 16});
  }
  ValueId mixed(ValueId weights, ValueId v) {
    const ValueId flat = view(weights, {integer(3), n, n}, {3, 16, 16});
    const ValueId product = apply(kBatched, {flat, merged(v)}, {3, 16, 8});
    return view(product, {integer(1), integer(3), n, integer(8)}, {1, 3, 16, 8});
  }
  bool is_left() const { return leaves_alone(*this, fuse_attention); }
};

void both_passes(Program& program) {
  fuse_attention(program);
  attend_in_place(program);
}

TEST(Attention, TwoProductsAboutASoftmax) {
  WrittenOutNet b;
  const ValueId q = b.heads(b.x), k = b.heads(b.input({1, 16, 24})),
                v = b.heads(b.input({1, 16, 24}));
  b.output(b.mixed(b.softmax(b.scores(q, k)), v));
  const Rewritten after(b, fuse_attention);
  ASSERT_EQ(after.names(),
            (Names{kSize, kHeadView, kTurned, kHeadView, kTurned, kHeadView, kTurned, kSdpa}));
  const auto& args = after.args(7);
  EXPECT_EQ((std::vector<ValueId>{args[0], args[1], args[2]}), (std::vector<ValueId>{q, k, v}));
}

TEST(Attention, AFactorIsThatOfTheQueries) {
  WrittenOutNet b;
  const ValueId q = b.heads(b.x);
  b.output(b.mixed(b.softmax(b.scaled(b.scores(q, q))), q));
  const Rewritten after(b, fuse_attention);
  ASSERT_EQ(after.names(), (Names{kSize, kHeadView, kTurned, kScale, kSdpa}));
  EXPECT_EQ(after.args(3)[0], q);
  EXPECT_EQ(after.args(4)[0], after.args(3).back());
  EXPECT_EQ(after.tensor(after.args(4)[0]).dims, (Dims{1, 3, 16, 8}));
}

TEST(Attention, HeadsStayWhereTheyAre) {
  WrittenOutNet b;
  const ValueId q = b.heads(b.x), k = b.heads(b.input({1, 16, 24})),
                v = b.heads(b.input({1, 16, 24}));
  b.output(b.turned_back(b.mixed(b.softmax(b.scaled(b.scores(q, k))), v)));
  EXPECT_EQ(Rewritten(b, both_passes).names(),
            (Names{kSize, kHeadView, kHeadView, kHeadView, kScale, kTurnedSdpa}));
}

TEST(Attention, HeadsAreTurnedWhereAnotherReadsThem) {
  WrittenOutNet b;
  const ValueId q = b.heads(b.x), y = b.mixed(b.softmax(b.scores(q, q)), q);
  b.output(b.turned_back(y)).output(y);
  const Rewritten after(b, both_passes);
  EXPECT_EQ(after.names(), (Names{kSize, kHeadView, kTurned, kSdpa, kTurned}));
}

TEST(Attention, LeavesWhatIsReadInBetween) {
  for (int which = 0; which < 3; ++which) {
    WrittenOutNet b;
    const ValueId q = b.heads(b.x), scores = b.scores(q, q), weights = b.softmax(b.scaled(scores));
    const ValueId y = b.mixed(weights, q);
    b.output(y);
    if (which == 0) b.output(scores);
    if (which == 1) b.output(weights);
    EXPECT_EQ(b.is_left(), which < 2) << which;
  }
}

TEST(Attention, LeavesOtherDims) {
  WrittenOutNet other_way;
  const ValueId q = other_way.heads(other_way.x);
  other_way.output(other_way.mixed(other_way.softmax(other_way.scores(q, q), 2), q));
  EXPECT_TRUE(other_way.is_left());

  WrittenOutNet live_heads;
  const ValueId some = live_heads.heads(live_heads.x, true);
  live_heads.output(live_heads.mixed(live_heads.softmax(live_heads.scores(some, some)), some));
  EXPECT_TRUE(live_heads.is_left());
}

TEST(Attention, LeavesAFactorOfManyNumbers) {
  WrittenOutNet b;
  const ValueId q = b.heads(b.x);
  const ValueId scores =
      b.apply(kScale, {b.scores(q, q), b.constant({16}, "scales")}, {1, 3, 16, 16});
  b.output(b.mixed(b.softmax(scores), q));
  EXPECT_TRUE(b.is_left());
}

}  // namespace
}  // namespace highwater
