// Which caches are kept in half precision, and what that makes of their memory.
#include "graph/graph.h"
#include "passes/passes.h"
#include "support/expect.h"
#include "support/program_builder.h"

namespace highwater {
namespace {

constexpr int64_t kBytes = 1 * 64 * 2 * 16 * sizeof(float);
const Dims kCache{1, 64, 2, 16};
const Dims kNew{1, 8, 2, 16};

// One layer of attention, whose caches a test may use in other ways as well.
struct Layer {
  ProgramBuilder b;
  ValueId k_cache, v_cache, start;

  explicit Layer(DType dtype = DType::Float32) {
    k_cache = b.constant(kCache, "zeros", dtype);
    v_cache = b.constant(kCache, "zeros", dtype);
    start = b.input_scalar();
  }

  void attend() {
    const ValueId q = b.input({1, 8, 4, 16}), k = b.input(kNew), v = b.input(kNew);
    b.output(b.apply("sdpa_with_kv_cache.default",
                     {q, k, v, k_cache, v_cache, start, b.integer(1), b.null(), b.number(0),
                      b.flag(true), b.null()},
                     {1, 8, 4, 16}));
  }

  bool halves(ValueId id) const {
    Program program = b.program();
    halve_caches(program);
    return std::get<TensorDecl>(program.values[id]).halved;
  }
};

uint64_t constant_bytes(const Program& program) {
  const auto graph = Graph::build(program);
  EXPECT_TRUE(succeeds(graph));
  uint64_t bytes = 0;
  for (const BufferDecl& buffer : (*graph)->buffers) {
    if (buffer.constant != kNoValue) bytes += buffer.size;
  }
  return bytes;
}

TEST(HalfCaches, TakeHalfTheMemory) {
  Layer layer;
  layer.attend();
  Program program = layer.b.program();
  EXPECT_EQ(constant_bytes(program), 2u * kBytes);
  halve_caches(program);
  EXPECT_EQ(constant_bytes(program), 2u * kBytes / 2);
}

TEST(HalfCaches, AreBoundAsHalvesAndEverythingElseIsNot) {
  Layer layer;
  layer.attend();
  Program program = layer.b.program();
  halve_caches(program);
  const auto graph = Graph::build(program, {.software = false, .half = true});
  ASSERT_TRUE(succeeds(graph));
  const StepDecl& write = (*graph)->steps[0];
  EXPECT_NE(write.wgsl.find("cache0: array<vec4<f16>>"), std::string::npos) << write.wgsl;
  EXPECT_NE(write.wgsl.find("value0: array<vec4<f32>>"), std::string::npos) << write.wgsl;
}

TEST(HalfCaches, MayBePrepacked) {
  Layer layer;
  layer.k_cache = layer.b.apply("et_vk.prepack.default", {layer.k_cache}, kCache);
  layer.attend();
  EXPECT_TRUE(layer.halves(layer.k_cache));
  Program program = layer.b.program();
  halve_caches(program);
  EXPECT_EQ(constant_bytes(program), 2u * kBytes / 2);
}

TEST(HalfCaches, MayBeUpdatedByAnOpOfTheirOwn) {
  Layer layer;
  layer.attend();
  layer.b.apply("update_cache.default", {layer.b.input(kNew), layer.k_cache, layer.start}, {1});
  EXPECT_TRUE(layer.halves(layer.k_cache));
}

TEST(HalfCaches, StayAsTheyAreWhereAnotherOpReadsThem) {
  Layer layer;
  layer.attend();
  layer.b.output(layer.b.apply("aten.relu.default", {layer.k_cache}, kCache));
  EXPECT_FALSE(layer.halves(layer.k_cache));
  EXPECT_TRUE(layer.halves(layer.v_cache));
}

TEST(HalfCaches, StayAsTheyAreWhereTheCallerReadsOrGivesThem) {
  Layer read;
  read.attend();
  read.b.output(read.v_cache);
  EXPECT_FALSE(read.halves(read.v_cache));
  Layer given;
  given.k_cache = given.b.input(kCache);
  given.attend();
  EXPECT_FALSE(given.halves(given.k_cache));
}

TEST(HalfCaches, StayAsTheyAreWhereTheyAreHalvesAlready) {
  Layer layer(DType::Float16);
  layer.attend();
  EXPECT_FALSE(layer.halves(layer.k_cache));
}

}  // namespace
}  // namespace highwater
