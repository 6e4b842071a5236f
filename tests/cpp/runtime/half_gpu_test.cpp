// float16 on a device, bound as words and as it is.
#include <cstdlib>

#include "gpu/adapters.h"
#include "runtime/choices.h"
#include "runtime/half.h"
#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/program_builder.h"

namespace highwater {
namespace {

constexpr int64_t kElements = 23;  // the last quad is not a whole one

class Half : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { setenv("HIGHWATER_KERNELS", GetParam(), 1); }
  void TearDown() override { unsetenv("HIGHWATER_KERNELS"); }
};

TEST_P(Half, SumsAreRoundedToHalves) {
  ProgramBuilder b;
  const ValueId x = b.input({kElements}, DType::Float16), y = b.input({kElements}, DType::Float16);
  b.output(b.apply("aten.add.Tensor", {x, y, b.integer(1)}, {kElements}, DType::Float16));
  const auto session = SessionAccess::load(b.program(), {});
  ASSERT_TRUE(succeeds(session));

  const bool native =
      SessionAccess::adapter(**session).has(gpu::kShaderF16) && GetParam() == std::string("gpu");
  const std::string& wgsl = SessionAccess::graph(**session).steps.at(0).wgsl;
  EXPECT_EQ(wgsl.starts_with("enable f16;\n"), native) << wgsl;

  std::vector<uint16_t> a, c, sum(kElements);
  for (int64_t i = 0; i < kElements; ++i) {
    a.push_back(float_to_half(0.37f * static_cast<float>(i) - 3));
    c.push_back(float_to_half(100.0f / static_cast<float>(i + 1)));
  }
  const Input inputs[] = {HostTensor{DType::Float16, {kElements}, a.data()},
                          HostTensor{DType::Float16, {kElements}, c.data()}};
  ASSERT_TRUE(succeeds((*session)->run(inputs)));
  ASSERT_TRUE(
      succeeds((*session)->read_output(0, DType::Float16, std::as_writable_bytes(std::span(sum)))));
  for (size_t i = 0; i < sum.size(); ++i) {
    const float exact = half_to_float(a[i]) + half_to_float(c[i]);
    // Which of the two nearest halves it is, a device may choose.
    EXPECT_NEAR(half_to_float(sum[i]), exact, std::abs(exact) / 1024) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(BothKindsOfKernel, Half, testing::Values("software", "gpu"));

// What a cache of attention takes on the device, under an option and a variable that may be null.
uint64_t cache_bytes(std::optional<bool> option, const char* variable) {
  const Dims cache{1, 64, 2, 16}, rows{1, 8, 2, 16};
  ProgramBuilder b;
  const ValueId kept = b.constant(cache, "zeros");
  b.output(b.apply("update_cache.default", {b.input(rows), kept, b.input_scalar()}, {1}));
  const std::vector<std::byte> zeros(static_cast<size_t>(cache.numel()) * sizeof(float));
  const ConstantSource source = [&](const std::string&, Stretch wanted, const UseBytes& use) {
    return use_stretch(zeros, wanted, use);
  };
  if (variable) setenv("HIGHWATER_HALF_CACHE", variable, 1);
  SessionOptions options;
  options.half_cache = option;
  const auto session = SessionAccess::load(b.program(), source, options);
  unsetenv("HIGHWATER_HALF_CACHE");
  EXPECT_TRUE(succeeds(session));
  if (!session) return 0;
  const Graph& graph = SessionAccess::graph(**session);
  return graph.buffers.at(graph.values[kept].buffer).size;
}

TEST(HalfCache, IsAnOptionThatTheEnvironmentOverrides) {
  const uint64_t whole = cache_bytes(false, nullptr);
  EXPECT_EQ(whole, 64u * 2 * 16 * sizeof(float));
  EXPECT_EQ(cache_bytes(true, nullptr), whole / 2);
  EXPECT_EQ(cache_bytes(false, "1"), whole / 2);
  EXPECT_EQ(cache_bytes(true, "0"), whole);
  // Nobody has said anything, and this is no GPU.
  EXPECT_EQ(cache_bytes({}, nullptr), whole);
}

TEST(HalfCache, IsTheDefaultOfGpusThatHaveHalves) {
  const auto adapter = [](const char* type, std::vector<std::string> features) {
    gpu::AdapterDescription description;
    description.type = type;
    description.features = std::move(features);
    return description;
  };
  const std::string half(gpu::kShaderF16);
  EXPECT_TRUE(prefers_half_caches(adapter("discrete GPU", {half})));
  EXPECT_TRUE(prefers_half_caches(adapter("integrated GPU", {half})));
  // Browsers do not say what kind of GPU it is.
  EXPECT_TRUE(prefers_half_caches(adapter("unknown", {half})));
  EXPECT_FALSE(prefers_half_caches(adapter("discrete GPU", {})));
  EXPECT_FALSE(prefers_half_caches(adapter("CPU", {half})));
  EXPECT_FALSE(prefers_half_caches({}));

  const auto is_halved = [&](std::optional<bool> said, const gpu::AdapterDescription& on) {
    const Dims dims{1, 64, 2, 16};
    ProgramBuilder b;
    const ValueId kept = b.constant(dims, "zeros");
    b.output(
        b.apply("update_cache.default", {b.input({1, 8, 2, 16}), kept, b.input_scalar()}, {1}));
    Program program = b.program();
    Choices choices;
    choices.half_cache = said;
    rewrite(program, choices, on);
    return std::get<TensorDecl>(program.values[kept]).halved;
  };
  const gpu::AdapterDescription has = adapter("discrete GPU", {half});
  EXPECT_TRUE(is_halved({}, has));
  EXPECT_FALSE(is_halved(false, has));
  EXPECT_TRUE(is_halved(true, {}));
  EXPECT_FALSE(is_halved({}, {}));
}

}  // namespace
}  // namespace highwater
