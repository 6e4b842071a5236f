// A sum and the norm of it become one op.
#include <gtest/gtest.h>

#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;

// y = rms_norm(a + alpha * b) * w, with parts of it to be varied.
struct Residual {
  Dims sum{16, 8};
  Dims b_dims{16, 8};
  Dims w_dims{8};
  DType b_dtype = DType::Float32;
  double alpha = 1;

  ProgramBuilder b;
  ValueId x = 0, y = 0;

  ProgramBuilder& build() {
    const ValueId a = b.input(sum), other = b.input(b_dims, b_dtype), w = b.constant(w_dims, "w");
    x = b.apply("aten.add.Tensor", {a, other, b.number(alpha)}, sum);
    y = b.apply("et_vk.rms_norm.default", {x, w, b.number(1e-6)}, sum);
    return b.output(y);
  }
};

TEST(AddRmsNorm, BecomesOneOpWithBothResults) {
  Residual r;
  const Rewritten after(r.build(), fuse_add_rms_norm);
  ASSERT_EQ(after.names(), Names{"hw.add_rms_norm"});
  EXPECT_EQ(after.items(after.args(0).back()), (std::vector<ValueId>{r.x, r.y}));
}

TEST(AddRmsNorm, TheSumMayBeReadElsewhere) {
  Residual r;
  r.build();
  r.b.output(r.x).output(r.b.apply("aten.relu.default", {r.x}, r.sum));
  EXPECT_EQ(Rewritten(r.b, fuse_add_rms_norm).names(),
            (Names{"hw.add_rms_norm", "aten.relu.default"}));
}

TEST(AddRmsNorm, TwoNormsOfOneSum) {
  Residual r;
  r.build();
  const ValueId w = r.b.constant({8}, "other w");
  r.b.output(r.b.apply("et_vk.rms_norm.default", {r.x, w, r.b.number(1e-6)}, r.sum));
  EXPECT_EQ(Rewritten(r.b, fuse_add_rms_norm).names(),
            (Names{"hw.add_rms_norm", "et_vk.rms_norm.default"}));
}

TEST(AddRmsNorm, LeavesAScaledSum) {
  Residual r;
  r.alpha = 2;
  EXPECT_TRUE(leaves_alone(r.build(), fuse_add_rms_norm));
}

TEST(AddRmsNorm, LeavesASumThatBroadcasts) {
  Residual r;
  r.b_dims = {1, 8};
  EXPECT_TRUE(leaves_alone(r.build(), fuse_add_rms_norm));
}

TEST(AddRmsNorm, LeavesASumWithIntegers) {
  Residual r;
  r.b_dtype = DType::Int32;
  EXPECT_TRUE(leaves_alone(r.build(), fuse_add_rms_norm));
}

TEST(AddRmsNorm, LeavesRowsThatAreNotWholeQuads) {
  Residual r;
  r.sum = r.b_dims = {16, 6};
  r.w_dims = {6};
  EXPECT_TRUE(leaves_alone(r.build(), fuse_add_rms_norm));
}

TEST(AddRmsNorm, LeavesWeightsOfOtherDims) {
  for (const Dims& dims : {Dims{1}, Dims{16, 8}, Dims{1, 8}}) {
    Residual r;
    r.w_dims = dims;
    EXPECT_TRUE(leaves_alone(r.build(), fuse_add_rms_norm)) << dims.text();
  }
}

TEST(AddRmsNorm, LeavesAWeightThatMayBeNarrower) {
  ProgramBuilder b;
  const ValueId a = b.input({16, 8}), w = b.input({8});
  const ValueId x = b.apply("aten.add.Tensor", {a, a, b.integer(1)}, {16, 8});
  b.output(b.apply("et_vk.rms_norm.default", {x, w, b.number(1e-6)}, {16, 8}));
  EXPECT_TRUE(leaves_alone(b, fuse_add_rms_norm));
}

TEST(AddRmsNorm, TakesAWeightThatIsComputedFromConstants) {
  ProgramBuilder b;
  const ValueId a = b.input({16, 8});
  const ValueId given = b.apply("et_vk.prepack.default", {b.constant({8}, "w")}, {8});
  const ValueId w = b.apply("aten.add.Scalar", {given, b.number(1)}, {8});
  const ValueId x = b.apply("aten.add.Tensor", {a, a, b.integer(1)}, {16, 8});
  b.output(b.apply("et_vk.rms_norm.default", {x, w, b.number(1e-6)}, {16, 8}));
  EXPECT_EQ(Rewritten(b, fuse_add_rms_norm).names(),
            (Names{"et_vk.prepack.default", "aten.add.Scalar", "hw.add_rms_norm"}));
}

TEST(AddRmsNorm, LeavesAWeightThatIsMadeAfterTheSum) {
  ProgramBuilder b;
  const ValueId a = b.input({16, 8}), w = b.input({8});
  const ValueId x = b.apply("aten.add.Tensor", {a, a, b.integer(1)}, {16, 8});
  const ValueId gain = b.apply("aten.relu.default", {w}, {8});
  b.output(b.apply("et_vk.rms_norm.default", {x, gain, b.number(1e-6)}, {16, 8}));
  EXPECT_TRUE(leaves_alone(b, fuse_add_rms_norm));
}

}  // namespace
}  // namespace highwater
