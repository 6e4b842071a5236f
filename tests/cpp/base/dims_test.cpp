#include "highwater/dims.h"

#include <limits>
#include <vector>

#include "support/expect.h"

namespace highwater {
namespace {

Result<Dims> make(std::vector<int64_t> dims) {
  return Dims::make(dims);
}

TEST(Dims, MakeTakesWhatKernelsCanIndex) {
  EXPECT_EQ(*make({}), Dims{});
  EXPECT_EQ(make({})->numel(), 1);
  EXPECT_EQ(*make({2, 3, 4}), (Dims{2, 3, 4}));
  EXPECT_EQ(make({1, 2, 3, 4, 5, 6, 7, 8})->numel(), 40320);
  EXPECT_EQ(make({2147483647})->numel(), 2147483647);
  EXPECT_EQ(make({5, 0, 7})->numel(), 0);
}

TEST(Dims, MakeRefusesTheRest) {
  EXPECT_TRUE(fails_saying(make(std::vector<int64_t>(9, 1)), {"rank 9", "at most 8"}));
  EXPECT_TRUE(fails_saying(make({3, -1}), {"[3, -1]", "negative"}));
  EXPECT_TRUE(fails_saying(make({2147483648}), {"[2147483648]", "too many elements"}));
  EXPECT_TRUE(fails_saying(make({65536, 32768}), {"too many"}));
  // 2^64 elements: a product in 64 bits is 0.
  EXPECT_TRUE(fails_saying(make({4294967296, 4294967296}), {"too many"}));
  EXPECT_TRUE(fails_saying(make({std::numeric_limits<int64_t>::max(), 2}), {"too many"}));
  EXPECT_TRUE(fails_saying(make({0, 4294967295, 4294967295}), {"too many"}))
      << "a zero elsewhere hides nothing";
}

TEST(Dims, InsertAndErase) {
  Dims d{2, 3};
  d.insert(0, 5);
  d.insert(3, 7);
  d.insert(2, 6);
  EXPECT_EQ(d, (Dims{5, 2, 6, 3, 7}));
  d.erase(4);
  d.erase(0);
  d.erase(1);
  EXPECT_EQ(d, (Dims{2, 3}));
  d.erase(0);
  d.erase(0);
  EXPECT_EQ(d, Dims{});
  d.insert(0, 9);
  EXPECT_EQ(d, Dims{9});
}

TEST(Dims, StridesProductsAndEdges) {
  EXPECT_EQ((Dims{2, 3, 4}).strides(), (Dims{12, 4, 1}));
  EXPECT_EQ((Dims{2, 0, 4}).strides(), (Dims{0, 4, 1}));
  EXPECT_EQ(Dims{}.strides(), Dims{});
  EXPECT_EQ((Dims{2, 3, 4}).product(1, 3), 12);
  EXPECT_EQ((Dims{2, 3, 4}).product(1, 1), 1);
  EXPECT_EQ((Dims{2, 3, 4}).back(), 4);
  EXPECT_EQ(Dims{}.back(), 1) << "a rank-0 tensor is one element wide";
  EXPECT_NE((Dims{2, 3}), (Dims{2, 3, 1}));
  EXPECT_EQ((Dims{2, 3}).text(), "[2, 3]");
  EXPECT_EQ(Dims{}.text(), "[]");
}

TEST(Dims, WrapDim) {
  for (int64_t rank = 1; rank <= 4; ++rank) {
    for (int64_t dim = -rank; dim < rank; ++dim) {
      const auto at = wrap_dim(dim, static_cast<size_t>(rank));
      ASSERT_TRUE(succeeds(at));
      EXPECT_EQ(static_cast<int64_t>(*at), dim < 0 ? dim + rank : dim);
    }
    EXPECT_TRUE(fails_saying(wrap_dim(rank, static_cast<size_t>(rank)), {"dim", "rank"}));
    EXPECT_FALSE(wrap_dim(-rank - 1, static_cast<size_t>(rank)).ok());
  }
  EXPECT_EQ(*wrap_dim(0, 0), 0u);
  EXPECT_EQ(*wrap_dim(-1, 0), 0u);
  EXPECT_FALSE(wrap_dim(1, 0).ok());
  EXPECT_FALSE(wrap_dim(std::numeric_limits<int64_t>::min(), 3).ok());
  EXPECT_FALSE(wrap_dim(std::numeric_limits<int64_t>::max(), 3).ok());
}

}  // namespace
}  // namespace highwater
