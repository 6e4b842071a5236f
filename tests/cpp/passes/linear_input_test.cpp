// The norm of a 4-bit layer's input, and its way through int8, become a part of the layer.
#include <gtest/gtest.h>

#include "support/q4_layers.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kWithInput = "hw.linear_q4gsw.default", kNormCall = "et_vk.rms_norm.default",
                  kInt8Call = "hw.fake_quantize";

struct NormedLayers : Q4Layers {
  ValueId norm(ValueId x) { return norm(x, constant({depth}, "norm")); }
  ValueId norm(ValueId x, ValueId weight) {
    return apply(kNormCall, {x, weight, number(1e-6)}, {rows, depth});
  }
  ValueId int8(ValueId x, double lowest = -128) {
    return apply(kInt8Call, {x, number(lowest), number(127), number(1e-5)}, {rows, depth});
  }
};

// Their arguments, as the schema of all our 4-bit layers has them.
constexpr size_t kSelfAt = 0, kNormWeightAt = 4, kAsInt8At = 6;

TEST(LinearInput, ANormBecomesPartOfTheLayer) {
  NormedLayers b;
  const ValueId x = b.layer_input(), y = b.layer(b.norm(x));
  const Rewritten after(b.output(y), fuse_linear_input);
  ASSERT_EQ(after.names(), Names{kWithInput});
  EXPECT_EQ(after.args(0)[kSelfAt], x);
  EXPECT_EQ(after.tensor(after.args(0)[kNormWeightAt]).dims, Dims{64});
  EXPECT_EQ(after.args(0).back(), y);
}

TEST(LinearInput, AndSoDoesWhatInt8ShowsOfIt) {
  for (bool normed : {true, false}) {
    NormedLayers b;
    const ValueId x = b.layer_input();
    b.output(b.layer(b.int8(normed ? b.norm(x) : x)));
    const Rewritten after(b, fuse_linear_input);
    ASSERT_EQ(after.names(), Names{kWithInput});
    EXPECT_EQ(after.args(0)[kSelfAt], x);
    const Value& weight = after.program().values[after.args(0)[kNormWeightAt]];
    EXPECT_EQ(std::holds_alternative<TensorDecl>(weight), normed);
    EXPECT_TRUE(std::get<bool>(after.program().values[after.args(0)[kAsInt8At]]));
  }
}

TEST(LinearInput, LayersThatRunAsOneAreOneReader) {
  NormedLayers b;
  const ValueId x = b.norm(b.layer_input());
  b.output(b.layer(x)).output(b.layer(x));
  const auto both = [](Program& p) {
    share_linear_inputs(p);
    fuse_linear_input(p);
  };
  EXPECT_EQ(Rewritten(b, both).names(), Names{"hw.linear_q4gsw.shared"});
}

TEST(LinearInput, AResidualAndABiasStay) {
  NormedLayers b;
  const Dims dims{b.rows, 16};
  const ValueId r = b.input(dims), y = b.layer(b.norm(b.layer_input()), {.bias = true});
  b.output(b.apply("aten.add.Tensor", {r, y, b.number(1)}, dims));
  const auto both = [](Program& p) {
    fuse_linear_residual(p);
    fuse_linear_input(p);
  };
  const Rewritten after(b, both);
  ASSERT_EQ(after.names(), Names{kWithInput});
  EXPECT_TRUE(after.tensor(after.args(0)[8]).constant);
  EXPECT_EQ(after.args(0)[9], r);
}

TEST(LinearInput, LeavesANormThatIsReadElsewhere) {
  NormedLayers b;
  const ValueId x = b.norm(b.layer_input());
  b.output(b.layer(x)).output(x);
  EXPECT_TRUE(leaves_alone(b, fuse_linear_input));
}

TEST(LinearInput, LeavesWeightsThatAreLiveOrOfOtherDims) {
  NormedLayers live;
  live.output(live.layer(live.norm(live.layer_input(), live.input({64}))));
  EXPECT_TRUE(leaves_alone(live, fuse_linear_input));
  NormedLayers one;
  one.output(one.layer(one.norm(one.layer_input(), one.constant({1}, "one"))));
  EXPECT_TRUE(leaves_alone(one, fuse_linear_input));
}

TEST(LinearInput, LeavesAPartOfInt8) {
  NormedLayers b;
  b.output(b.layer(b.int8(b.norm(b.layer_input()), -100)));
  EXPECT_TRUE(leaves_alone(b, fuse_linear_input));
}

}  // namespace
}  // namespace highwater
