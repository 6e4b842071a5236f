// What is added to a convolution's result, and the activation of it, become one op with it.
#include <gtest/gtest.h>

#include "support/engine.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kFusedConv = "hw.conv", kConvRelu = "aten.relu.default",
                  kResidualAdd = "aten.add.Tensor";
const Dims kImage{2, 6, 9, 7};

// Convolutions of six channels to six, which keep the size of images.
struct FloatNet : ProgramBuilder {
  DType dtype = DType::Float32;
  ValueId x;
  int layers = 0;

  explicit FloatNet(DType floats = DType::Float32) : dtype(floats), x(input(kImage, floats)) {}

  ValueId conv(ValueId from) {
    return apply("aten.convolution.default", arguments(from), kImage, dtype);
  }
  ValueId clamped(ValueId from) {
    std::vector<ValueId> all = arguments(from);
    all.insert(all.end(), {number(0), null()});
    return apply("et_vk.conv_with_clamp.default", all, kImage, dtype);
  }
  std::vector<ValueId> arguments(ValueId from) {
    const ValueId w = constant({6, 6, 1, 1}, "w" + std::to_string(layers++), dtype);
    return {from,
            w,
            null(),
            integers({1, 1}),
            integers({0, 0}),
            integers({1, 1}),
            flag(false),
            integers({0, 0}),
            integer(1)};
  }
  ValueId add(ValueId a, ValueId b, double alpha = 1) {
    return apply(kResidualAdd, {a, b, number(alpha)}, kImage, dtype);
  }
  ValueId relu(ValueId a) { return apply(kConvRelu, {a}, kImage, dtype); }
  ValueId mul(ValueId a, ValueId b) { return apply("aten.mul.Tensor", {a, b}, kImage, dtype); }
  ValueId sigmoid(ValueId a) { return apply("aten.sigmoid.default", {a}, kImage, dtype); }

  Names fused() const { return Rewritten(*this, fuse_conv_epilogue).names(); }
  bool is_left() const { return leaves_alone(*this, fuse_conv_epilogue); }
};

// An argument of the fused call, which is call `i` of the program.
template <class T>
T argument(const Rewritten& after, size_t i, std::string_view name) {
  const size_t at = find_op(kFusedConv)->schema.position(name);
  const T* value = std::get_if<T>(&after.program().values[after.args(i)[at]]);
  return value ? *value : T{};
}

ValueId residual(const Rewritten& after, size_t i) {
  return after.args(i)[find_op(kFusedConv)->schema.position("residual")];
}

TEST(ConvEpilogue, ASumAndTheActivationOfIt) {
  for (bool swapped : {false, true}) {
    FloatNet net;
    const ValueId y = net.conv(net.x);
    net.output(net.relu(swapped ? net.add(net.x, y) : net.add(y, net.x)));
    const Rewritten after(net, fuse_conv_epilogue);
    ASSERT_EQ(after.names(), Names{kFusedConv});
    EXPECT_EQ(residual(after, 0), net.x);
    EXPECT_EQ(argument<std::string>(after, 0, "activation"), kConvRelu);
    EXPECT_FALSE(argument<bool>(after, 0, "adds_last"));
  }
}

TEST(ConvEpilogue, AnActivationAndASumWithIt) {
  FloatNet net;
  net.output(net.add(net.relu(net.conv(net.x)), net.x));
  const Rewritten after(net, fuse_conv_epilogue);
  ASSERT_EQ(after.names(), Names{kFusedConv});
  EXPECT_EQ(argument<std::string>(after, 0, "activation"), kConvRelu);
  EXPECT_TRUE(argument<bool>(after, 0, "adds_last"));
}

TEST(ConvEpilogue, OfAConvolutionWithAClampTheSumComesLast) {
  FloatNet net;
  net.output(net.add(net.clamped(net.x), net.x));
  const Rewritten after(net, fuse_conv_epilogue);
  ASSERT_EQ(after.names(), Names{kFusedConv});
  EXPECT_EQ(argument<std::string>(after, 0, "activation"), "aten.clamp.default");
  EXPECT_TRUE(argument<bool>(after, 0, "adds_last"));
}

TEST(ConvEpilogue, OneActivationAndOneSum) {
  FloatNet two_activations, two_sums;
  two_activations.output(two_activations.relu(two_activations.clamped(two_activations.x)));
  EXPECT_TRUE(two_activations.is_left());
  const ValueId once = two_sums.add(two_sums.conv(two_sums.x), two_sums.x);
  two_sums.output(two_sums.add(once, two_sums.x));
  EXPECT_EQ(two_sums.fused(), (Names{kFusedConv, kResidualAdd}));
}

TEST(ConvEpilogue, EveryActivationThatItTakesIsThere) {
  for (const char* op : {"relu", "hardswish", "hardsigmoid", "sigmoid", "tanh"}) {
    FloatNet net;
    net.output(net.apply("aten." + std::string(op) + ".default", {net.conv(net.x)}, kImage));
    EXPECT_EQ(net.fused(), Names{kFusedConv}) << op;
  }
  for (const char* form : {"none", "tanh"}) {
    FloatNet net;
    net.output(net.apply("aten.gelu.default", {net.conv(net.x), net.string(form)}, kImage));
    EXPECT_EQ(net.fused(), Names{kFusedConv}) << form;
  }
  FloatNet of_one, of_two, of_none;
  of_one.output(
      of_one.apply("aten.leaky_relu.default", {of_one.conv(of_one.x), of_one.number(0.1)}, kImage));
  EXPECT_EQ(of_one.fused(), Names{kFusedConv});
  of_two.output(of_two.apply("aten.hardtanh.default",
                             {of_two.conv(of_two.x), of_two.integer(0), of_two.number(6)}, kImage));
  EXPECT_EQ(of_two.fused(), Names{kFusedConv});
  of_none.output(of_none.apply(
      "aten.clamp.default", {of_none.conv(of_none.x), of_none.null(), of_none.number(6)}, kImage));
  EXPECT_EQ(of_none.fused(), Names{kFusedConv});
}

TEST(ConvEpilogue, LeavesAnActivationWhoseNumberIsLive) {
  FloatNet net;
  const ValueId most = net.input_scalar();
  net.output(net.apply("aten.clamp.default", {net.conv(net.x), net.null(), most}, kImage));
  EXPECT_TRUE(net.is_left());
}

TEST(ConvEpilogue, AGateOfItself) {
  for (bool swapped : {false, true}) {
    FloatNet net;
    const ValueId y = net.conv(net.x), s = net.sigmoid(y);
    net.output(net.add(net.x, swapped ? net.mul(s, y) : net.mul(y, s)));
    const Rewritten after(net, fuse_conv_epilogue);
    ASSERT_EQ(after.names(), Names{kFusedConv});
    EXPECT_TRUE(argument<bool>(after, 0, "gates"));
    EXPECT_TRUE(argument<bool>(after, 0, "adds_last"));
  }
}

TEST(ConvEpilogue, LeavesAGateOfSomethingElse) {
  FloatNet net;
  const ValueId y = net.conv(net.x);
  net.output(net.mul(net.x, net.sigmoid(y))).output(net.relu(y));
  EXPECT_TRUE(net.is_left());
}

TEST(ConvEpilogue, TakesHalves) {
  FloatNet net(DType::Float16);
  net.output(net.relu(net.add(net.conv(net.x), net.x)));
  EXPECT_EQ(net.fused(), Names{kFusedConv});
}

TEST(ConvEpilogue, StandsWhereTheResidualIsThere) {
  FloatNet net;
  const ValueId y = net.conv(net.x), later = net.apply("aten.abs.default", {net.x}, kImage);
  net.output(net.add(y, later));
  EXPECT_EQ(net.fused(), (Names{"aten.abs.default", kFusedConv}));
}

TEST(ConvEpilogue, OfTwoConvolutionsOneIsTheResidual) {
  FloatNet net;
  const ValueId a = net.conv(net.x), b = net.relu(net.conv(net.x));
  net.output(net.add(a, b));
  const Rewritten after(net, fuse_conv_epilogue);
  ASSERT_EQ(after.names(), (Names{kFusedConv, kFusedConv}));
  EXPECT_EQ(residual(after, 1), b);
}

TEST(ConvEpilogue, LeavesWhatIsReadTwice) {
  FloatNet by_an_op, by_the_caller, by_itself;
  const ValueId y = by_an_op.conv(by_an_op.x);
  by_an_op.output(by_an_op.relu(y)).output(by_an_op.add(y, by_an_op.x));
  EXPECT_TRUE(by_an_op.is_left());
  const ValueId seen = by_the_caller.conv(by_the_caller.x);
  by_the_caller.output(by_the_caller.relu(seen)).output(seen);
  EXPECT_TRUE(by_the_caller.is_left());
  const ValueId twice = by_itself.conv(by_itself.x);
  by_itself.output(by_itself.add(twice, twice));
  EXPECT_TRUE(by_itself.is_left());
}

TEST(ConvEpilogue, LeavesWhatIsNoPlainSum) {
  FloatNet scaled, stretched, narrower;
  scaled.output(scaled.add(scaled.conv(scaled.x), scaled.x, 2));
  EXPECT_TRUE(scaled.is_left());
  for (const Dims& dims : {Dims{1, 6, 9, 7}, Dims{9, 7}, Dims{1}}) {
    FloatNet net;
    net.output(net.add(net.conv(net.x), net.input(dims)));
    EXPECT_TRUE(net.is_left()) << dims.text();
  }
  narrower.output(narrower.add(narrower.conv(narrower.x), narrower.input(kImage, DType::Float16)));
  EXPECT_TRUE(narrower.is_left());
}

TEST(ConvEpilogue, LeavesASumThatIsLargerThanTheConvolution) {
  FloatNet net;
  const ValueId y =
      net.apply("aten.convolution.default", net.arguments(net.input({1, 6, 9, 7})), {1, 6, 9, 7});
  net.output(net.add(y, net.x));
  EXPECT_TRUE(net.is_left());
}

TEST(ConvEpilogue, AResidualOfOtherLiveDimsIsRefused) {
  FloatNet net;
  net.output(net.add(net.conv(net.x), net.input(kImage)));
  const Rewritten after(net, fuse_conv_epilogue);
  ASSERT_EQ(after.names(), Names{kFusedConv});
  Engine engine(after.program());
  const auto both = [](const Dims& a, const Dims& b) {
    return std::vector{of_dims(a), of_dims(b)};
  };
  EXPECT_TRUE(succeeds(engine.call(both({1, 6, 5, 3}, {1, 6, 5, 3}))));
  const Snapshot good = engine.snapshot();
  EXPECT_TRUE(fails_saying(engine.call(both({1, 6, 5, 3}, {1, 6, 3, 5})),
                           {"a residual of dims [1, 6, 3, 5]", "a result of dims [1, 6, 5, 3]"}));
  EXPECT_TRUE(fails_saying(engine.call(both({2, 6, 5, 3}, {1, 6, 5, 3})), {"a residual of dims"}));
  EXPECT_EQ(engine.snapshot(), good);
  EXPECT_TRUE(succeeds(engine.call(both({2, 6, 9, 7}, {2, 6, 9, 7}))));
}

}  // namespace
}  // namespace highwater
