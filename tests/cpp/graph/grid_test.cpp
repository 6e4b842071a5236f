#include "graph/grid.h"

#include <gtest/gtest.h>

namespace highwater {
namespace {

TEST(Grid, NothingToDoIsEmpty) {
  for (int64_t none : {0, -1}) {
    EXPECT_TRUE(Grid::groups(none).empty());
    EXPECT_TRUE(Grid::threads(none).empty());
    EXPECT_TRUE(Grid::quads(none).empty());
    EXPECT_EQ(Grid::groups(none).workgroups(), 0u);
  }
}

TEST(Grid, SmallCountsAreOneRow) {
  EXPECT_EQ(Grid::groups(1), (Grid{1, 1}));
  EXPECT_EQ(Grid::groups(65535), (Grid{65535, 1}));
  EXPECT_EQ(Grid::threads(1), (Grid{1, 1}));
  EXPECT_EQ(Grid::threads(64), (Grid{1, 1}));
  EXPECT_EQ(Grid::threads(65), (Grid{2, 1}));
  EXPECT_EQ(Grid::quads(256), (Grid{1, 1}));
  EXPECT_EQ(Grid::quads(257), (Grid{2, 1}));
}

TEST(Grid, CountsOverTheLimitFold) {
  EXPECT_EQ(Grid::groups(65536), (Grid{32768, 2}));
  EXPECT_EQ(Grid::groups(2 * 65535), (Grid{65535, 2}));
  EXPECT_EQ(Grid::groups(2 * 65535 + 1), (Grid{43691, 3}));
}

TEST(Grid, FoldedGridsFitCoverAndWasteLittle) {
  constexpr int64_t kMost = 2147483647;
  const auto check = [](int64_t count) {
    const Grid grid = Grid::groups(count);
    EXPECT_LE(grid.x, Grid::kMaxPerDimension) << count;
    EXPECT_LE(grid.y, Grid::kMaxPerDimension) << count;
    EXPECT_GE(grid.workgroups(), static_cast<uint64_t>(count));
    EXPECT_LT(grid.workgroups() - static_cast<uint64_t>(count), grid.y) << count;
  };
  for (int64_t rows : {1, 2, 3, 7, 100, 32768}) {
    for (int64_t delta = -2; delta <= 2; ++delta) {
      if (rows * 65535 + delta <= kMost) check(rows * 65535 + delta);
    }
  }
  for (int64_t count = 1; count < kMost; count = count * 5 / 3 + 1) check(count);
  check(kMost);
}

}  // namespace
}  // namespace highwater
