// Constants in another order, against what the definition says of each element.
#include "graph/arrangement.h"

#include <gtest/gtest.h>

#include <numeric>

namespace highwater {
namespace {

std::vector<int32_t> arranged(const Arrangement& arrangement) {
  std::vector<int32_t> from(static_cast<size_t>(arrangement.source.numel()));
  std::iota(from.begin(), from.end(), 1);
  std::vector<int32_t> to(static_cast<size_t>(arrangement.numel()), -1);
  arrange(arrangement, std::as_bytes(std::span(from)), sizeof(int32_t),
          std::as_writable_bytes(std::span(to)));
  return to;
}

TEST(Arrangement, Transposes) {
  EXPECT_EQ(arranged({{2, 3}, {{3, 1}, {2, 0}}}), (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(Arrangement, TilesOfOneSizeEndInZeros) {
  EXPECT_EQ(arranged({{5}, {{2, 0, 4}, {4, 0}}}), (std::vector<int32_t>{1, 2, 3, 4, 5, 0, 0, 0}));
  // Rows in tiles of two, the columns before them.
  EXPECT_EQ(arranged({{3, 2}, {{2, 0, 2}, {2, 1}, {2, 0}}}),
            (std::vector<int32_t>{1, 3, 2, 4, 5, 0, 6, 0}));
}

TEST(Arrangement, AnyOrderOfAnyAxes) {
  const Arrangement a{{2, 5, 3, 4}, {{2, 0}, {3, 1, 2}, {4, 3}, {3, 2}, {2, 1}}};
  const auto to = arranged(a);
  size_t i = 0;
  for (int g = 0; g < 2; ++g) {
    for (int tile = 0; tile < 3; ++tile) {
      for (int tap = 0; tap < 4; ++tap) {
        for (int input = 0; input < 3; ++input) {
          for (int row = 0; row < 2; ++row, ++i) {
            const int channel = 2 * tile + row;
            const int wanted = channel < 5 ? ((g * 5 + channel) * 3 + input) * 4 + tap + 1 : 0;
            ASSERT_EQ(to[i], wanted) << "element " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace highwater
