// Params structs as the embedding tool makes them from WGSL, against the rules of its uniforms:
// scalars at multiples of 4 bytes, vectors and arrays at multiples of 16, a size that is one too.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "wgsl/binary_functions.h"
#include "wgsl/cat.h"
#include "wgsl/plain_copy.h"
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
