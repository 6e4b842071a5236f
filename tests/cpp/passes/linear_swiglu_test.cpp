// A gate becomes one op with the two 4-bit layers that feed it.
#include <gtest/gtest.h>

#include "support/q4_layers.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const Dims kDims{8, 16};

struct GatedLayers : Q4Layers {
  ValueId x = layer_input();

  ValueId gate(ValueId g, ValueId u) { return apply("hw.swiglu", {g, u}, kDims); }
};

TEST(LinearSwiglu, BecomesOneOp) {
  GatedLayers b;
  const ValueId y = b.gate(b.layer(b.x), b.layer(b.x));
  const Rewritten after(b.output(y), fuse_linear_swiglu);
  ASSERT_EQ(after.names(), Names{"hw.linear_q4gsw.swiglu"});
  const auto& args = after.args(0);
  EXPECT_EQ(args[0], b.x);
  EXPECT_EQ(after.tensor(args[1]).dims, (Dims{32, 32})) << "the gate's weights above the others";
  EXPECT_EQ(args.back(), y);
}

TEST(LinearSwiglu, TheGatesWeightsComeFirst) {
  GatedLayers b;
  const ValueId u = b.layer(b.x), g = b.layer(b.x);
  const auto key_of = [&](const Rewritten& after, size_t part) {
    const auto& constants = after.program().constants;
    const auto& parts = constants[*after.tensor(after.args(0)[1]).constant].parts;
    return constants[parts.at(part).constant].key;
  };
  const Rewritten after(b.output(b.gate(g, u)), fuse_linear_swiglu);
  EXPECT_EQ(key_of(after, 0), "w1");
  EXPECT_EQ(key_of(after, 1), "w0");
}

TEST(LinearSwiglu, LooksThroughViewsThatKeepAllDims) {
  GatedLayers b;
  b.output(b.gate(b.view(b.layer(b.x), kDims), b.view(b.view(b.layer(b.x), kDims), kDims)));
  EXPECT_EQ(Rewritten(b, fuse_linear_swiglu).names(), Names{"hw.linear_q4gsw.swiglu"});
}

TEST(LinearSwiglu, LeavesALayerThatIsReadElsewhere) {
  for (const bool of_gate : {true, false}) {
    GatedLayers b;
    const ValueId g = b.layer(b.x), u = b.layer(b.x);
    b.output(b.gate(g, u)).output(of_gate ? g : u);
    EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu));
  }
}

TEST(LinearSwiglu, LeavesAViewThatIsReadElsewhere) {
  for (const size_t which : {0, 1}) {
    GatedLayers b;
    const ValueId near = b.view(b.layer(b.x), kDims), far = b.view(near, kDims);
    b.output(b.gate(far, b.layer(b.x))).output(which == 0 ? near : far);
    EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu)) << which;
  }
}

TEST(LinearSwiglu, LeavesViewsToOtherDims) {
  GatedLayers b;
  const Dims other{16, 8};
  const ValueId g = b.view(b.layer(b.x), other), u = b.view(b.layer(b.x), other);
  b.output(b.apply("hw.swiglu", {g, u}, other));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu));
}

TEST(LinearSwiglu, LeavesViewsThatSwapALiveDimWithAFixedOneOfTheSameBound) {
  GatedLayers b;
  b.rows = 16;
  const Dims square{16, 16};
  const ValueId x = b.input({16, 64}), n = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  const auto swapped = [&](ValueId y) {
    return b.apply("aten.view_copy.default", {y, b.list({b.integer(16), n})}, square);
  };
  const ValueId g = swapped(b.layer(x)), u = swapped(b.layer(x));
  b.output(b.apply("hw.swiglu", {g, u}, square));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu));
}

TEST(LinearSwiglu, LooksThroughViewsToTheLiveRows) {
  GatedLayers b;
  const ValueId n = b.apply_scalar("sym_size.int", {b.x, b.integer(0)});
  const auto same = [&](ValueId y) {
    return b.apply("aten.view_copy.default", {y, b.list({n, b.integer(16)})}, kDims);
  };
  const ValueId g = same(b.layer(b.x)), u = same(b.layer(b.x));
  b.output(b.gate(g, u));
  EXPECT_EQ(Rewritten(b, fuse_linear_swiglu).names(),
            (Names{"sym_size.int", "hw.linear_q4gsw.swiglu"}));
}

TEST(LinearSwiglu, LeavesLayersOfDifferentInputs) {
  GatedLayers b;
  b.output(b.gate(b.layer(b.x), b.layer(b.layer_input())));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu));
}

TEST(LinearSwiglu, LeavesOneLayerForBoth) {
  GatedLayers b;
  const ValueId both = b.layer(b.x);
  b.output(b.gate(both, both));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu));
}

TEST(LinearSwiglu, LeavesOtherProducers) {
  GatedLayers b;
  b.output(b.gate(b.layer(b.x), b.input(kDims)));
  b.output(b.gate(b.layer(b.x), b.layer(b.x, {.bias = true})));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_swiglu));
}

}  // namespace
}  // namespace highwater
