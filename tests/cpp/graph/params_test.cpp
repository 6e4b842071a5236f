// Params structs as the embedding tool makes them from WGSL, against the rules of its uniforms:
// scalars at multiples of 4 bytes, vectors and arrays at multiples of 16, a size that is one too.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "graph/plan.h"
#include "wgsl/binary_functions.h"
#include "wgsl/cat.h"
#include "wgsl/matmul_tile.h"
#include "wgsl/plain_copy.h"
#include "wgsl/sample.h"
#include "wgsl/softmax_stats.h"
#include "wgsl/strided_copy.h"
#include "wgsl/unary.h"

namespace highwater {
namespace {

using wgsl::cat;
using wgsl::plain_copy;
using wgsl::strided_copy;
using wgsl::unary;

// One scalar is padded to a whole uniform.
static_assert(plain_copy::kParamsSize == 16 && sizeof(plain_copy::Params) == 16);

// Five scalars of three types follow each other.
static_assert(unary::kParamsSize == 32 && sizeof(unary::Params) == 32);
static_assert(offsetof(unary::Params, p_float) == 4 && offsetof(unary::Params, q_int) == 16);
static_assert(std::is_same_v<decltype(unary::Params::quads), uint32_t>);
static_assert(std::is_same_v<decltype(unary::Params::p_float), float>);
static_assert(std::is_same_v<decltype(unary::Params::q_int), int32_t>);

// Arrays of vectors, and a scalar after them.
static_assert(strided_copy::kParamsSize == 96 && sizeof(strided_copy::Params) == 96);
static_assert(offsetof(strided_copy::Params, size) == 16);
static_assert(offsetof(strided_copy::Params, stride) == 48);
static_assert(offsetof(strided_copy::Params, inner_stride) == 80);

// Three scalars leave a hole before the vectors that follow.
static_assert(offsetof(cat::Params, width) == 8 && offsetof(cat::Params, start) == 16);
static_assert(offsetof(cat::Params, extent) == 32 && cat::kParamsSize == 48);

// Values by position do not compile, so that the order of the members is for the WGSL to choose.
template <class Params>
concept TakesValuesByPosition = requires { Params{1u}; } || requires {
  Params{1u, 1.0f};
} || requires { Params{{}, 1u}; } || requires { Params{ByName<Params>{}, 1u}; };
static_assert(!TakesValuesByPosition<plain_copy::Params>);
static_assert(!TakesValuesByPosition<unary::Params>);
static_assert(!TakesValuesByPosition<strided_copy::Params>);
struct WithoutByName {
  uint32_t quads;
  float number;
};
static_assert(TakesValuesByPosition<WithoutByName>);
static_assert(std::is_trivially_copyable_v<unary::Params>);

// Kernels whose loops follow live sizes: plans must say how many rounds those take.
static_assert(wgsl::softmax_stats::kWalks && wgsl::matmul_tile::kWalks && wgsl::sample::kWalks);
static_assert(!cat::kWalks && !strided_copy::kWalks && !unary::kWalks);
template <class K>
concept RunsWithoutRounds = requires(Plan plan, Step<K> step, typename K::Params params) {
  plan.run(step, params, Grid{});
};
static_assert(RunsWithoutRounds<cat> && !RunsWithoutRounds<wgsl::softmax_stats>);

TEST(Params, AreSetByNameAndTheRestIsZero) {
  unary::Params params{};
  params.q_float = 2.5f;
  EXPECT_EQ(params.quads, 0u);
  const unary::Params all{.quads = 1, .p_float = 2, .q_float = 2.5f, .p_int = 4, .q_int = 5};
  EXPECT_EQ(all.q_float, params.q_float);
  EXPECT_EQ(all.q_int, 5);
}

// A file of functions has no params.
static_assert(wgsl::binary_functions::kParamsSize == 0);

TEST(Params, SourcesKnowTheirNameSizeAndText) {
  EXPECT_EQ(strided_copy::kSource.name, "strided_copy");
  EXPECT_EQ(strided_copy::kSource.params_size, 96u);
  EXPECT_NE(strided_copy::kSource.text.find("struct Params {"), std::string_view::npos);
  EXPECT_NE(strided_copy::kSource.text.find("#output y\n"), std::string_view::npos);
}

}  // namespace
}  // namespace highwater
