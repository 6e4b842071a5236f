// What is added to the result of a 4-bit layer becomes a part of it.
#include <gtest/gtest.h>

#include "support/q4_layers.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kWithSum = "hw.linear_q4gsw.default";

struct AddedLayers : Q4Layers {
  Dims dims{rows, 16};

  ValueId add(ValueId a, ValueId b, double alpha = 1) {
    return apply("aten.add.Tensor", {a, b, number(alpha)}, dims);
  }
};

TEST(LinearResidual, EitherSideMayBeTheLayer) {
  for (bool first : {true, false}) {
    AddedLayers b;
    const ValueId r = b.input(b.dims), y = b.layer(b.layer_input());
    const ValueId sum = first ? b.add(y, r) : b.add(r, y);
    const Rewritten after(b.output(sum), fuse_linear_residual);
    ASSERT_EQ(after.names(), Names{kWithSum});
    EXPECT_EQ(after.args(0)[9], r);
    EXPECT_EQ(after.args(0).back(), sum);
  }
}

TEST(LinearResidual, KeepsABiasAndStandsWhereTheSumStood) {
  AddedLayers b;
  const ValueId y = b.layer(b.layer_input(), {.bias = true});
  const ValueId r = b.apply("aten.relu.default", {b.input(b.dims)}, b.dims);
  const Rewritten after(b.output(b.add(y, r)), fuse_linear_residual);
  ASSERT_EQ(after.names(), (Names{"aten.relu.default", kWithSum}));
  EXPECT_TRUE(after.tensor(after.args(1)[8]).constant);
}

TEST(LinearResidual, OfTwoLayersOneIsAddedToTheOther) {
  AddedLayers b;
  const ValueId x = b.layer_input();
  b.output(b.add(b.layer(x), b.layer(x)));
  EXPECT_EQ(Rewritten(b, fuse_linear_residual).names(),
            (Names{"et_vk.linear_q4gsw.default", kWithSum}));
}

TEST(LinearResidual, LeavesALayerThatIsReadElsewhere) {
  AddedLayers b;
  const ValueId y = b.layer(b.layer_input());
  b.output(b.add(b.input(b.dims), y)).output(y);
  EXPECT_TRUE(leaves_alone(b, fuse_linear_residual));
}

TEST(LinearResidual, LeavesALayerThatIsAddedToItself) {
  AddedLayers b;
  const ValueId y = b.layer(b.layer_input());
  b.output(b.add(y, y));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_residual));
}

TEST(LinearResidual, LeavesAScaledSumAndOneThatBroadcasts) {
  AddedLayers scaled;
  scaled.output(scaled.add(scaled.input(scaled.dims), scaled.layer(scaled.layer_input()), 2));
  EXPECT_TRUE(leaves_alone(scaled, fuse_linear_residual));
  AddedLayers wide;
  wide.output(wide.add(wide.input({1, 16}), wide.layer(wide.layer_input())));
  EXPECT_TRUE(leaves_alone(wide, fuse_linear_residual));
}

TEST(LinearResidual, LeavesSizesThatCannotBeTiled) {
  AddedLayers b;
  b.depth = 40;
  b.output(b.add(b.input(b.dims), b.layer(b.layer_input())));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_residual));
}

}  // namespace
}  // namespace highwater
