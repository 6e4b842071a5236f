// Tiles of three sizes take every extent whole, and one more element never costs a whole tile.
#include "ops/cover.h"

#include <gtest/gtest.h>

namespace highwater {
namespace {

// Columns of a product and pixels of a convolution, with eight lanes.
constexpr TileSizes kSizes[] = {{32, 8, 2}, {24, 8, 2}, {16, 8, 2}, {8, 4, 2}};

TEST(Cover, TakesAll) {
  for (const TileSizes& sizes : kSizes) {
    for (int64_t units = 0; units < 200; ++units) {
      const Cover c = cover(units, sizes);
      const int64_t taken = c.full * sizes.full + c.small * sizes.small + c.least;
      EXPECT_GE(taken, units);
      // What is taken in vain is less than a tile of the last kind that is used.
      const int64_t last = c.least > 0 ? 1 : c.small > 0 ? sizes.small : sizes.full;
      EXPECT_LT(taken - units, last) << units;
      EXPECT_LE(c.least, sizes.most_least);
    }
  }
}

TEST(Cover, WholeTilesAreAlone) {
  const Cover c = cover(64, {32, 8, 2});
  EXPECT_EQ(c.full, 2);
  EXPECT_EQ(c.small + c.least, 0);
}

TEST(Cover, FewMoreAreLeastTiles) {
  const Cover c = cover(33, {32, 8, 2});
  EXPECT_EQ(c.full, 1);
  EXPECT_EQ(c.small, 0);
  EXPECT_EQ(c.least, 1);
}

TEST(Cover, MostOfATileIsATile) {
  EXPECT_EQ(cover(32 + 23, {32, 8, 2}).full, 2);
  EXPECT_EQ(cover(32 + 18, {32, 8, 2}).full, 1);
}

}  // namespace
}  // namespace highwater
