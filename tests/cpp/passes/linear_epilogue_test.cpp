// What is added to a linear layer's result, and the activation of it, become one op with it.
#include <gtest/gtest.h>

#include "support/program_builder.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const std::string kFusedLinear = "hw.linear.epilogue";
const Dims kLayerRows{8, 16};

struct LinearNet : ProgramBuilder {
  ValueId x = input(kLayerRows);
  int layers = 0;

  ValueId layer(ValueId from) {
    const ValueId w = constant({16, 16}, "w" + std::to_string(layers++));
    return apply("aten.linear.default", {from, w, null()}, kLayerRows);
  }
  ValueId add(ValueId a, ValueId b, double alpha = 1) {
    return apply("aten.add.Tensor", {a, b, number(alpha)}, kLayerRows);
  }
  ValueId relu(ValueId a) { return apply("aten.relu.default", {a}, kLayerRows); }
};

TEST(LinearEpilogue, TakesASumAndAnActivation) {
  LinearNet net;
  const ValueId y = net.relu(net.add(net.x, net.layer(net.x)));
  net.output(y);
  const Rewritten after(net, fuse_linear_epilogue);
  EXPECT_EQ(after.names(), Names{kFusedLinear});
  EXPECT_EQ(after.args(0).back(), y);
}

TEST(LinearEpilogue, StandsWhereTheLastOfThemStood) {
  LinearNet net;
  const ValueId first = net.layer(net.x), residual = net.relu(net.x);
  net.output(net.add(first, residual));
  EXPECT_EQ(Rewritten(net, fuse_linear_epilogue).names(),
            (Names{"aten.relu.default", kFusedLinear}));
}

TEST(LinearEpilogue, LeavesWhatOthersReadToo) {
  LinearNet net;
  const ValueId y = net.layer(net.x);
  net.output(net.relu(y)).output(y);
  EXPECT_TRUE(leaves_alone(net, fuse_linear_epilogue));
}

TEST(LinearEpilogue, LeavesASumWithAMultiple) {
  LinearNet net;
  net.output(net.add(net.x, net.layer(net.x), 2));
  EXPECT_TRUE(leaves_alone(net, fuse_linear_epilogue));
}

TEST(LinearViews, KeepsRowsAsTheyWere) {
  LinearNet net;
  const auto view = [&](ValueId of, const Dims& dims) {
    return net.apply("aten.view_copy.default", {of, net.integers({dims.begin(), dims.end()})},
                     dims);
  };
  const ValueId same = view(net.layer(net.x), kLayerRows);
  const ValueId deep = view(net.layer(view(net.input({1, 8, 16}), kLayerRows)), {1, 8, 16});
  net.output(same).output(deep);
  EXPECT_EQ(Rewritten(net, drop_linear_views).names(),
            (Names{"aten.linear.default", "aten.linear.default"}));
}

TEST(LinearEpilogue, LeavesALayerAlone) {
  LinearNet net;
  net.output(net.layer(net.x));
  EXPECT_TRUE(leaves_alone(net, fuse_linear_epilogue));
}

}  // namespace
}  // namespace highwater
