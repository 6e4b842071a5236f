// Dense layers are joined as 4-bit ones are.
#include <gtest/gtest.h>

#include "support/program_builder.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kLinear = "aten.linear.default", kSharedDense = "hw.linear.shared",
                  kSwiglu = "hw.linear.swiglu", kDenseView = "aten.view_copy.default";
const Dims kRows{8, 16}, kBatch{1, 8, 16};

struct DenseLayers : ProgramBuilder {
  ValueId x = input({8, 12});
  int layers = 0;

  ValueId layer(ValueId weight, ValueId bias) {
    return apply(kLinear, {x, weight, bias}, {8, bound(weight)[0]});
  }
  ValueId weight(const Dims& dims) { return constant(dims, "w" + std::to_string(layers++)); }
  ValueId layer(int64_t columns = 16) { return layer(weight({columns, 12}), null()); }
  ValueId batch(ValueId of) { return apply(kDenseView, {of, integers({1, 8, 16})}, kBatch); }
  ValueId gate(ValueId g, ValueId u) { return apply("hw.swiglu", {g, u}, bound(g)); }
};

TEST(DenseLayers, ShareTheirInput) {
  DenseLayers b;
  const ValueId q = b.layer(32), k = b.layer(8), v = b.layer(8);
  b.output(q).output(k).output(v);
  const Rewritten after(b, share_linear_inputs);
  ASSERT_EQ(after.names(), Names{kSharedDense});
  EXPECT_EQ(after.tensor(after.args(0)[1]).dims, (Dims{48, 12}));
  EXPECT_EQ(after.items(after.args(0)[3]), (std::vector<ValueId>{q, k, v}));
}

TEST(DenseLayers, LeavesWhatCannotBeJoined) {
  DenseLayers b;
  b.output(b.layer());
  b.output(b.layer(b.weight({16, 12}), b.constant({16}, "bias")));
  b.output(b.layer(b.input({16, 12}), b.null()));
  b.output(b.layer(6));
  EXPECT_TRUE(leaves_alone(b, share_linear_inputs));
}

TEST(DenseLayers, LeavesAnInputThatIsWrittenIntoBetweenThem) {
  DenseLayers b;
  b.x = b.constant({1, 8, 2, 12}, "cache");
  const auto layer = [&] {
    return b.apply(kLinear, {b.x, b.weight({16, 12}), b.null()}, {1, 8, 2, 16});
  };
  b.output(layer());
  b.apply("update_cache.default", {b.input({1, 1, 2, 12}), b.x, b.integer(0)}, {1});
  b.output(layer());
  EXPECT_TRUE(leaves_alone(b, share_linear_inputs));
}

TEST(DenseLayers, LeavesWeightsThatAreTrained) {
  DenseLayers b;
  const ValueId w = b.weight({16, 12}), trained = b.apply("et_vk.prepack.default", {w}, {16, 12});
  b.output(b.layer(w, b.null())).output(b.layer());
  const ValueId m = b.constant({16, 12}, "m"), v = b.constant({16, 12}, "v");
  std::vector<ValueId> args{trained, m, v, b.input({16, 12})};
  for (int i = 0; i < 7; ++i) args.push_back(b.number(0.5));
  args.push_back(b.list({b.tensor({16, 12}), b.tensor({16, 12}), b.tensor({16, 12})}));
  b.call("et_vk.adamw_step.default", args);
  EXPECT_TRUE(leaves_alone(b, share_linear_inputs));
}

TEST(DenseLayers, BecomeOneWithTheirGate) {
  DenseLayers b;
  const ValueId y = b.gate(b.layer(), b.layer());
  const Rewritten after(b.output(y), fuse_linear_swiglu);
  ASSERT_EQ(after.names(), Names{kSwiglu});
  EXPECT_EQ(after.tensor(after.args(0)[1]).dims, (Dims{32, 12}));
  EXPECT_EQ(after.args(0).back(), y);
}

TEST(DenseLayers, TheViewOfBothComesAfterTheGate) {
  DenseLayers b;
  const ValueId y = b.gate(b.batch(b.layer()), b.batch(b.layer()));
  const Rewritten after(b.output(y), fuse_linear_swiglu);
  ASSERT_EQ(after.names(), (Names{kSwiglu, kDenseView}));
  EXPECT_EQ(after.tensor(after.args(0).back()).dims, kRows);
  EXPECT_EQ(after.args(1)[0], after.args(0).back());
  EXPECT_EQ(after.args(1).back(), y);
}

TEST(DenseLayers, LeavesViewsThatAreReadElsewhere) {
  for (const size_t which : {0, 1, 2, 3}) {
    DenseLayers b;
    const ValueId g = b.layer(), u = b.layer(), g_view = b.batch(g), u_view = b.batch(u);
    b.output(b.gate(g_view, u_view)).output(std::vector{g, u, g_view, u_view}[which]);
    EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu)) << which;
  }
}

TEST(DenseLayers, LeavesAViewOfOneOnly) {
  DenseLayers b;
  const ValueId other = b.input({8, 16});
  b.output(b.gate(b.batch(b.layer()), b.batch(other)));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu));
}

}  // namespace
}  // namespace highwater
