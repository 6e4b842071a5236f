// A convolution of int8 takes the activation of the floats that its result stands for.
#include <gtest/gtest.h>

#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kQ8Conv = "et_vk.q8ta_conv2d.default", kActivated = "hw.q8ta_conv2d",
                  kDequantize = "quantized_decomposed.dequantize_per_tensor.default",
                  kQuantize = "quantized_decomposed.quantize_per_tensor.default";
const Dims kQ8Image{2, 6, 5, 7};

// A convolution, the way back to floats, a ReLU6, and the way to int8, with parts to be varied.
struct Block : ProgramBuilder {
  double back_scale = 0.25;
  int64_t back_zero = -3;
  int64_t lowest = -128;
  DType floats = DType::Float32;

  ValueId x = input(kQ8Image, DType::Int8);
  ValueId y = 0, dequantized = 0, activated = 0, z = 0;
  int layers = 0;

  ValueId conv(ValueId from) {
    return apply(kQ8Conv,
                 {from, number(0.5), integer(1),
                  constant({6, 8}, "w" + std::to_string(layers++), DType::Int8),
                  constant({8}, "sums", DType::Int32), constant({8}, "scales"), number(0.25),
                  integer(-3), null(), integers({1, 1}), integers({1, 1}), integers({0, 0}),
                  integers({1, 1}), integer(1), string("none")},
                 kQ8Image, DType::Int8);
  }

  Block& build() {
    build_without_output().output(z);
    return *this;
  }

  Block& build_without_output() {
    y = conv(x);
    dequantized = apply(kDequantize,
                        {y, number(back_scale), integer(back_zero), integer(-128), integer(127),
                         integer(1), null()},
                        kQ8Image, floats);
    activated =
        apply("aten.hardtanh.default", {dequantized, number(0), number(6)}, kQ8Image, floats);
    z = apply(kQuantize,
              {activated, number(0.125), integer(-100), integer(lowest), integer(127), integer(1)},
              kQ8Image, DType::Int8);
    return *this;
  }

  bool is_left() const { return leaves_alone(*this, fuse_q8_conv_activation); }
};

TEST(Q8ConvActivation, BecomesPartOfTheConvolution) {
  Block block;
  const Rewritten after(block.build(), fuse_q8_conv_activation);
  ASSERT_EQ(after.names(), Names{kActivated});
  EXPECT_EQ(after.args(0).front(), block.x);
  EXPECT_EQ(after.args(0).back(), block.z);
}

TEST(Q8ConvActivation, ChannelsAreThenLastBetweenTwo) {
  Block block;
  block.build_without_output();
  const ValueId last = block.conv(block.z);
  const auto both = [](Program& program) {
    fuse_q8_conv_activation(program);
    keep_channels_last(program);
  };
  const Rewritten after(block.output(last), both);
  ASSERT_EQ(after.names(), (Names{kActivated, kActivated}));
  EXPECT_EQ(after.tensor(block.z).dims, (Dims{2, 5, 7, 8}));
}

TEST(Q8ConvActivation, LeavesWhatIsReadTwice) {
  for (ValueId Block::* seen : {&Block::y, &Block::dequantized, &Block::activated}) {
    Block block;
    block.build();
    block.output(block.*seen);
    EXPECT_TRUE(block.is_left());
  }
}

TEST(Q8ConvActivation, LeavesOtherFloatsThanTheConvolutionMeant) {
  Block of_scale, of_zero;
  of_scale.back_scale = 0.5;
  of_zero.back_zero = 0;
  EXPECT_TRUE(of_scale.build().is_left());
  EXPECT_TRUE(of_zero.build().is_left());
}

TEST(Q8ConvActivation, LeavesAPartOfInt8) {
  Block block;
  block.lowest = -127;
  EXPECT_TRUE(block.build().is_left());
}

TEST(Q8ConvActivation, LeavesHalvesWhichWouldRoundOnceMore) {
  Block block;
  block.floats = DType::Float16;
  EXPECT_TRUE(block.build().is_left());
}

TEST(Q8ConvActivation, LeavesWhatStaysAFloat) {
  Block block;
  const ValueId y = block.conv(block.x);
  const ValueId floats = block.apply(kDequantize,
                                     {y, block.number(0.25), block.integer(-3), block.integer(-128),
                                      block.integer(127), block.integer(1), block.null()},
                                     kQ8Image);
  block.output(block.apply("aten.relu.default", {floats}, kQ8Image));
  EXPECT_TRUE(block.is_left());
}

}  // namespace
}  // namespace highwater
