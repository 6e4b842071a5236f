// 4-bit layers with the same input become one.
#include <gtest/gtest.h>

#include "support/q4_layers.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kOneQ4 = "et_vk.linear_q4gsw.default", kSharedQ4 = "hw.linear_q4gsw.shared";

TEST(SharedInput, LayersOfDifferentWidths) {
  Q4Layers b;
  const ValueId x = b.layer_input();
  const ValueId q = b.layer(x, {.columns = 32}), k = b.layer(x, {.columns = 8}), v = b.layer(x);
  b.output(q).output(k).output(v);
  const Rewritten after(b, share_linear_inputs);
  ASSERT_EQ(after.names(), Names{kSharedQ4});
  const auto& args = after.args(0);
  EXPECT_EQ(args[0], x);
  EXPECT_EQ(after.tensor(args[1]).dims, (Dims{56, 32})) << "weights, one above the other";
  EXPECT_EQ(after.tensor(args[2]).dims, (Dims{2, 56})) << "scales, side by side";
  EXPECT_EQ(after.items(args.back()), (std::vector<ValueId>{q, k, v}));
}

TEST(SharedInput, AtMostThreeAtATime) {
  const std::vector<Names> expected{{kOneQ4},
                                    {kSharedQ4},
                                    {kSharedQ4},
                                    {kSharedQ4, kOneQ4},
                                    {kSharedQ4, kSharedQ4},
                                    {kSharedQ4, kSharedQ4}};
  for (size_t count = 1; count <= expected.size(); ++count) {
    Q4Layers b;
    const ValueId x = b.layer_input();
    for (size_t i = 0; i < count; ++i) b.output(b.layer(x));
    EXPECT_EQ(Rewritten(b, share_linear_inputs).names(), expected[count - 1]) << count;
  }
}

TEST(SharedInput, TakesThePlaceOfTheFirst) {
  Q4Layers b;
  const ValueId x = b.layer_input();
  const ValueId first = b.layer(x, {.columns = 64});
  const ValueId between = b.apply("aten.relu.default", {first}, {8, 64});
  const ValueId last = b.layer(x, {.columns = 64});
  b.output(b.apply("aten.mul.Tensor", {between, last}, {8, 64}));
  EXPECT_EQ(Rewritten(b, share_linear_inputs).names(),
            (Names{kSharedQ4, "aten.relu.default", "aten.mul.Tensor"}));
}

TEST(SharedInput, LeavesLayersInARow) {
  Q4Layers b;
  b.output(b.layer(b.layer(b.layer_input(), {.columns = 64})));
  EXPECT_TRUE(leaves_alone(b, share_linear_inputs));
}

TEST(SharedInput, LeavesLayersWithABias) {
  Q4Layers b;
  const ValueId x = b.layer_input();
  b.output(b.layer(x)).output(b.layer(x, {.bias = true}));
  EXPECT_TRUE(leaves_alone(b, share_linear_inputs));
}

TEST(SharedInput, LeavesAWeightThatIsComputed) {
  Q4Layers b;
  const ValueId x = b.layer_input(), w = b.input({16, 32}, DType::UInt8);
  b.output(b.layer(x)).output(b.layer(x, {.weight = w}));
  EXPECT_TRUE(leaves_alone(b, share_linear_inputs));
}

TEST(SharedInput, LeavesOtherGroups) {
  Q4Layers b;
  const ValueId x = b.layer_input();
  b.output(b.layer(x));
  b.group = b.integer(64);
  b.output(b.layer(x));
  EXPECT_TRUE(leaves_alone(b, share_linear_inputs));
}

TEST(SharedInput, LeavesSizesThatCannotBeTiled) {
  Q4Layers columns, depth;
  const ValueId x = columns.layer_input();
  columns.output(columns.layer(x, {.columns = 6})).output(columns.layer(x, {.columns = 6}));
  EXPECT_TRUE(leaves_alone(columns, share_linear_inputs));

  depth.depth = 40;
  const ValueId y = depth.layer_input();
  depth.output(depth.layer(y)).output(depth.layer(y));
  EXPECT_TRUE(leaves_alone(depth, share_linear_inputs));
}

}  // namespace
}  // namespace highwater
