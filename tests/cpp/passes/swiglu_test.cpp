// sigmoid(g) * g * u becomes one op.
#include <gtest/gtest.h>

#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const Dims kGateDims{16, 6};

// The three calls, whose factors may be swapped.
struct Gate {
  bool inner_swapped = false, outer_swapped = false;
  Dims u_dims = kGateDims;
  DType g_dtype = DType::Float32, u_dtype = DType::Float32;

  ProgramBuilder b;
  ValueId g = 0, u = 0, sigmoid = 0, silu = 0, y = 0;

  ProgramBuilder& build() {
    g = b.input(kGateDims, g_dtype);
    u = b.input(u_dims, u_dtype);
    sigmoid = b.apply("aten.sigmoid.default", {g}, kGateDims);
    silu = multiply(g, sigmoid, inner_swapped);
    y = multiply(silu, u, outer_swapped);
    return b.output(y);
  }

  ValueId multiply(ValueId one, ValueId other, bool swapped) {
    if (swapped) std::swap(one, other);
    return b.apply("aten.mul.Tensor", {one, other}, kGateDims);
  }
};

TEST(Swiglu, BecomesOneOpInAnyOrderOfTheFactors) {
  for (int order = 0; order < 4; ++order) {
    Gate gate;
    gate.inner_swapped = order & 1;
    gate.outer_swapped = order & 2;
    const Rewritten after(gate.build(), fuse_swiglu);
    ASSERT_EQ(after.names(), Names{"hw.swiglu"}) << order;
    EXPECT_EQ(after.args(0), (std::vector<ValueId>{gate.g, gate.u, gate.y}));
  }
}

TEST(Swiglu, TheGateMayBeReadElsewhere) {
  Gate gate;
  gate.build().output(gate.g);
  EXPECT_EQ(Rewritten(gate.b, fuse_swiglu).names(), Names{"hw.swiglu"});
}

TEST(Swiglu, TakesHalves) {
  Gate gate;
  gate.g_dtype = gate.u_dtype = DType::Float16;
  EXPECT_EQ(Rewritten(gate.build(), fuse_swiglu).names(), Names{"hw.swiglu"});
}

TEST(Swiglu, LeavesWhatIsReadTwice) {
  Gate of_sigmoid, of_silu;
  of_sigmoid.build();
  of_silu.build();
  of_sigmoid.b.output(of_sigmoid.b.apply("aten.relu.default", {of_sigmoid.sigmoid}, kGateDims));
  of_silu.b.output(of_silu.b.apply("aten.relu.default", {of_silu.silu}, kGateDims));
  EXPECT_TRUE(leaves_alone(of_sigmoid.b, fuse_swiglu));
  EXPECT_TRUE(leaves_alone(of_silu.b, fuse_swiglu));
}

TEST(Swiglu, LeavesWhatIsAnOutput) {
  Gate of_sigmoid, of_silu;
  of_sigmoid.build().output(of_sigmoid.sigmoid);
  of_silu.build().output(of_silu.silu);
  EXPECT_TRUE(leaves_alone(of_sigmoid.b, fuse_swiglu));
  EXPECT_TRUE(leaves_alone(of_silu.b, fuse_swiglu));
}

TEST(Swiglu, LeavesAFactorThatBroadcasts) {
  Gate gate;
  gate.u_dims = {1, 6};
  EXPECT_TRUE(leaves_alone(gate.build(), fuse_swiglu));
}

TEST(Swiglu, LeavesIntegers) {
  Gate of_gate, of_factor;
  of_gate.g_dtype = DType::Int32;
  of_factor.u_dtype = DType::Int32;
  EXPECT_TRUE(leaves_alone(of_gate.build(), fuse_swiglu));
  EXPECT_TRUE(leaves_alone(of_factor.build(), fuse_swiglu));
}

TEST(Swiglu, LeavesTheSigmoidOfSomethingElse) {
  ProgramBuilder b;
  const ValueId g = b.input(kGateDims), u = b.input(kGateDims);
  const ValueId sigmoid = b.apply("aten.sigmoid.default", {u}, kGateDims);
  const ValueId product = b.apply("aten.mul.Tensor", {g, sigmoid}, kGateDims);
  b.output(b.apply("aten.mul.Tensor", {product, g}, kGateDims));
  EXPECT_TRUE(leaves_alone(b, fuse_swiglu));
}

TEST(Swiglu, LeavesASquareOfIt) {
  ProgramBuilder b;
  const ValueId g = b.input(kGateDims);
  const ValueId sigmoid = b.apply("aten.sigmoid.default", {g}, kGateDims);
  const ValueId silu = b.apply("aten.mul.Tensor", {g, sigmoid}, kGateDims);
  b.output(b.apply("aten.mul.Tensor", {silu, silu}, kGateDims));
  EXPECT_TRUE(leaves_alone(b, fuse_swiglu));
}

}  // namespace
}  // namespace highwater
