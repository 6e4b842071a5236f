// Params structs as the embedding tool makes them from WGSL, against the rules of its uniforms:
// scalars at multiples of 4 bytes, vectors and arrays at multiples of 16, a size that is one too.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "graph/plan.h"
#include "wgsl/fold/norm.h"
#include "wgsl/fold/softmax_stats.h"
#include "wgsl/gather/cat.h"
#include "wgsl/linear/matmul_tile.h"
#include "wgsl/map/map.h"
#include "wgsl/map/map_strided.h"
#include "wgsl/picked.h"
#include "wgsl/rope/rope_freqs.h"
#include "wgsl/sample/sample.h"

namespace highwater {
namespace {

using wgsl::fold::norm;
using wgsl::gather::cat;
using wgsl::map::map;
using wgsl::map::map_strided;
using wgsl::rope::rope_freqs;

// Two scalars are padded to a whole uniform.
static_assert(rope_freqs::kParamsSize == 16 && sizeof(rope_freqs::Params) == 16);

// Seven scalars of two types follow each other.
static_assert(norm::kParamsSize == 32 && sizeof(norm::Params) == 32);
static_assert(offsetof(norm::Params, rows) == 4 && offsetof(norm::Params, eps) == 24);
static_assert(std::is_same_v<decltype(norm::Params::quads), uint32_t>);
static_assert(std::is_same_v<decltype(norm::Params::eps), float>);

// Arrays of vectors, and one between them.
static_assert(map_strided::kParamsSize == 192 && sizeof(map_strided::Params) == 192);
static_assert(offsetof(map_strided::Params, numbers) == 16);
static_assert(offsetof(map_strided::Params, start) == 48);
static_assert(offsetof(map_strided::Params, dims) == 64);

// Three scalars leave a hole before the vectors that follow.
static_assert(offsetof(cat::Params, width) == 8 && offsetof(cat::Params, start) == 16);
static_assert(offsetof(cat::Params, extent) == 32 && cat::kParamsSize == 48);

// Values by position do not compile, so that the order of the members is for the WGSL to choose.
template <class Params>
concept TakesValuesByPosition = requires { Params{1u}; } || requires {
  Params{1u, 1.0f};
} || requires { Params{{}, 1u}; } || requires { Params{ByName<Params>{}, 1u}; };
static_assert(!TakesValuesByPosition<map::Params>);
static_assert(!TakesValuesByPosition<norm::Params>);
static_assert(!TakesValuesByPosition<map_strided::Params>);
struct WithoutByName {
  uint32_t quads;
  float number;
};
static_assert(TakesValuesByPosition<WithoutByName>);
static_assert(std::is_trivially_copyable_v<norm::Params>);

// Kernels whose loops follow live sizes: plans must say how many rounds those take.
static_assert(wgsl::fold::softmax_stats::kWalks && wgsl::linear::matmul_tile::kWalks &&
              wgsl::sample::sample::kWalks);
static_assert(!cat::kWalks && !map_strided::kWalks && !map::kWalks);
template <class K>
concept RunsWithoutRounds = requires(Plan plan, Step<K> step, typename K::Params params) {
  plan.run(step, params, Grid{});
};
static_assert(RunsWithoutRounds<cat> && !RunsWithoutRounds<wgsl::fold::softmax_stats>);

TEST(Params, AreSetByNameAndTheRestIsZero) {
  cat::Params params{};
  params.width = 7;
  EXPECT_EQ(params.quads, 0u);
  const cat::Params all{
      .quads = 1, .by_quad = 1, .width = 7, .start = {0, 4}, .extent = {4, 3, 0, 0}};
  EXPECT_EQ(all.width, params.width);
  EXPECT_EQ(all.extent[1], 3u);
}

// A file of functions has no params.
static_assert(wgsl::picked::kParamsSize == 0);

TEST(Params, SourcesKnowTheirNameSizeAndText) {
  EXPECT_EQ(map_strided::kSource.name, "map_strided");
  EXPECT_EQ(map_strided::kSource.params_size, 192u);
  EXPECT_NE(map_strided::kSource.text.find("struct Params {"), std::string_view::npos);
  EXPECT_NE(map_strided::kSource.text.find("#output y\n"), std::string_view::npos);
}

TEST(Params, IncludesOfTheLibraryAreInPlace) {
  EXPECT_NE(map_strided::kSource.text.find("fn walk("), std::string_view::npos);
  EXPECT_EQ(map_strided::kSource.text.find("#include"), std::string_view::npos);
}

}  // namespace
}  // namespace highwater
