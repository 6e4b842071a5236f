// Layers that quantize their input as it comes become 4-bit layers of what int8 shows of it.
#include <gtest/gtest.h>

#include "support/q4_layers.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kChoose = "torchao.choose_qparams_affine.default",
                  kLayer = "et_vk.linear_dq8ca_q4gsw.default", kSeen = "hw.fake_quantize",
                  kPlain = "et_vk.linear_q4gsw.default";

struct DynamicLayers : Q4Layers {
  struct Range {
    ValueId x, scale, zero;
  };
  // How the range is chosen.
  double lowest = -128, eps = 1e-5;

  Range choose(ValueId x) {
    const Range range{x, tensor({rows, 1}), tensor({rows, 1}, DType::Int32)};
    call(kChoose,
         {x, string("ASYMMETRIC"), integers({1, depth}), integer(1), number(lowest), integer(127),
          number(eps), null(), null(), flag(true), list({range.scale, range.zero})});
    return range;
  }
  ValueId dynamic_layer(const Range& range, ValueId bias) {
    const std::string name = std::to_string(layers++);
    return apply(
        kLayer,
        {range.x, range.scale, range.zero, constant({16, depth / 2}, "w" + name, DType::UInt8),
         constant({2, 16}, "sums" + name, DType::Int32), constant({2, 16}, "scales" + name), group,
         bias},
        {rows, 16});
  }
  ValueId dynamic_layer(const Range& range) { return dynamic_layer(range, null()); }
};

TEST(FakeQuantize, BecomesALayerOfWhatInt8Shows) {
  DynamicLayers b;
  const ValueId x = b.layer_input(), y = b.dynamic_layer(b.choose(x));
  const Rewritten after(b.output(y), fuse_fake_quantize);
  ASSERT_EQ(after.names(), (Names{kSeen, kPlain}));
  EXPECT_EQ(after.args(0)[0], x);
  EXPECT_EQ(after.args(1)[0], after.args(0).back());
  EXPECT_EQ(after.tensor(after.args(1)[0]).dims, (Dims{8, 64}));
  EXPECT_EQ(after.args(1).back(), y);
}

TEST(FakeQuantize, IsMadeOnceForAllLayersOfAnInput) {
  DynamicLayers b;
  const ValueId x = b.layer_input();
  const auto shared = b.choose(x);
  b.output(b.dynamic_layer(shared)).output(b.dynamic_layer(shared));
  b.output(b.dynamic_layer(b.choose(x)));
  const Rewritten after(b, fuse_fake_quantize);
  ASSERT_EQ(after.names(), (Names{kSeen, kPlain, kPlain, kPlain}));
  EXPECT_EQ(after.args(3)[0], after.args(1)[0]);
}

TEST(FakeQuantize, IsMadeAgainForAnotherInputOrEps) {
  DynamicLayers b;
  const ValueId x = b.layer_input();
  b.output(b.dynamic_layer(b.choose(x))).output(b.dynamic_layer(b.choose(b.layer_input())));
  b.eps = 1e-3;
  b.output(b.dynamic_layer(b.choose(x)));
  EXPECT_EQ(Rewritten(b, fuse_fake_quantize).names(),
            (Names{kSeen, kPlain, kSeen, kPlain, kSeen, kPlain}));
}

TEST(FakeQuantize, KeepsABias) {
  DynamicLayers b;
  const ValueId bias = b.constant({16}, "bias");
  b.output(b.dynamic_layer(b.choose(b.layer_input()), bias));
  EXPECT_EQ(Rewritten(b, fuse_fake_quantize).args(1)[4], bias);
}

TEST(FakeQuantize, LeavesARangeThatIsAnOutput) {
  for (const bool scale : {true, false}) {
    DynamicLayers b;
    const auto range = b.choose(b.layer_input());
    b.output(b.dynamic_layer(range)).output(scale ? range.scale : range.zero);
    EXPECT_TRUE(leaves_alone(b, fuse_fake_quantize));
  }
}

TEST(FakeQuantize, LeavesARangeThatIsReadElsewhere) {
  DynamicLayers b;
  const auto range = b.choose(b.layer_input());
  b.output(b.dynamic_layer(range)).output(b.apply("aten.relu.default", {range.scale}, {8, 1}));
  EXPECT_TRUE(leaves_alone(b, fuse_fake_quantize));
}

TEST(FakeQuantize, LeavesARangeOfAnotherInput) {
  DynamicLayers b;
  auto range = b.choose(b.layer_input());
  range.x = b.layer_input();
  b.output(b.dynamic_layer(range));
  EXPECT_TRUE(leaves_alone(b, fuse_fake_quantize));
}

TEST(FakeQuantize, LeavesARangeForLessThanInt8) {
  DynamicLayers b;
  b.lowest = -127;
  b.output(b.dynamic_layer(b.choose(b.layer_input())));
  EXPECT_TRUE(leaves_alone(b, fuse_fake_quantize));
}

}  // namespace
}  // namespace highwater
