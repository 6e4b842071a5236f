// Int8 tensors between convolutions have their channels last.
#include <gtest/gtest.h>

#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kConv = "et_vk.q8ta_conv2d.default", kOurs = "hw.q8ta_conv2d",
                  kQ8Add = "et_vk.q8ta_add.default", kQ8Relu = "et_vk.q8ta_relu.default";
const Dims kFirst{2, 6, 5, 7}, kLast{2, 5, 7, 8};

// Convolutions of six channels to six, which keep the size of images.
struct Net : ProgramBuilder {
  ValueId x = input(kFirst, DType::Int8);
  int layers = 0;

  ValueId conv(ValueId from, int64_t groups = 1) {
    const std::string name = std::to_string(layers++);
    return apply(kConv,
                 {from, number(0.5), integer(1), constant({6, 8}, "w" + name, DType::Int8),
                  constant({8}, "sums", DType::Int32), constant({8}, "scales"), number(0.25),
                  integer(-3), null(), integers({1, 1}), integers({1, 1}), integers({0, 0}),
                  integers({1, 1}), integer(groups), string("none")},
                 kFirst, DType::Int8);
  }
  ValueId add(ValueId a, ValueId b) {
    return apply(kQ8Add,
                 {a, b, number(0.5), integer(1), number(0.5), integer(1), number(0.5), integer(1),
                  number(1)},
                 kFirst, DType::Int8);
  }
  ValueId relu(ValueId a) {
    return apply(kQ8Relu, {a, number(0.5), integer(1), number(0.5), integer(1)}, kFirst,
                 DType::Int8);
  }
};

TEST(ChannelsLast, BetweenTwoConvolutions) {
  Net net;
  const ValueId between = net.conv(net.x), y = net.conv(between);
  const Rewritten after(net.output(y), keep_channels_last);
  ASSERT_EQ(after.names(), (Names{kOurs, kOurs}));
  EXPECT_EQ(after.tensor(net.x).dims, kFirst);
  EXPECT_EQ(after.tensor(between).dims, kLast);
  EXPECT_EQ(after.tensor(y).dims, kFirst);
}

TEST(ChannelsLast, ThroughSumsAndRelus) {
  Net net;
  const ValueId a = net.conv(net.x), b = net.conv(a), sum = net.add(a, b), positive = net.relu(sum);
  const Rewritten after(net.output(net.conv(positive)), keep_channels_last);
  ASSERT_EQ(after.names(), (Names{kOurs, kOurs, kQ8Add, kQ8Relu, kOurs}));
  for (ValueId id : {a, b, sum, positive}) EXPECT_EQ(after.tensor(id).dims, kLast) << id;
}

TEST(ChannelsLast, NotWhereAnOperandOfASumComesFromElsewhere) {
  Net net;
  const ValueId a = net.conv(net.x), sum = net.add(a, net.x);
  EXPECT_TRUE(leaves_alone(net.output(net.conv(sum)), keep_channels_last));
}

TEST(ChannelsLast, NotWhereAnybodyElseReads) {
  Net of_output, of_op;
  const ValueId seen = of_output.conv(of_output.x);
  of_output.output(of_output.conv(seen)).output(seen);
  EXPECT_TRUE(leaves_alone(of_output, keep_channels_last));
  const ValueId read = of_op.conv(of_op.x);
  of_op.output(of_op.conv(read));
  of_op.output(of_op.apply("aten.abs.default", {read}, kFirst, DType::Int8));
  EXPECT_TRUE(leaves_alone(of_op, keep_channels_last));
}

TEST(ChannelsLast, NotWhereGroupsAreNoWholeQuads) {
  Net net;
  EXPECT_TRUE(leaves_alone(net.output(net.conv(net.conv(net.x, 2))), keep_channels_last));
}

}  // namespace
}  // namespace highwater
