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

// By one slab after the other, each from its own stretch of the source.
TEST(Arrangement, SlabsMakeTheSame) {
  const Arrangement all[] = {
      {{5}, {{2, 0, 4}, {4, 0}}},
      {{7, 2}, {{4, 0, 2}, {2, 1}, {2, 0}}},
      {{9, 4}, {{2, 0, 8}, {2, 0, 4}, {4, 1}, {4, 0}}},
      {{2, 3}, {{3, 1}, {2, 0}}},  // not along the first dim
      {{1, 9, 4}, {{3, 1, 4}, {2, 2, 2}, {2, 1, 2}, {1, 0}, {2, 1}, {2, 2}}},  // as 4-bit weights
  };
  for (const Arrangement& a : all) {
    const auto whole = arranged(a);
    std::vector<int32_t> from(static_cast<size_t>(a.source.numel()));
    std::iota(from.begin(), from.end(), 1);
    std::vector<int32_t> joined;
    for (int64_t i = 0; i < a.slabs(); ++i) {
      const Slabs one = slabs_of(a, i, i + 1);
      const auto begin = from.begin() + one.begin;
      const std::vector<int32_t> stretch(begin, from.begin() + one.end);
      std::vector<int32_t> to(static_cast<size_t>(one.arrangement.numel()), -1);
      arrange(one.arrangement, std::as_bytes(std::span(stretch)), sizeof(int32_t),
              std::as_writable_bytes(std::span(to)));
      joined.insert(joined.end(), to.begin(), to.end());
    }
    EXPECT_EQ(joined, whole);
  }
  EXPECT_EQ(all[0].slabs(), 2);
  EXPECT_EQ(slabs_of(all[0], 1, 2).begin, 4);
  EXPECT_EQ(all[3].slabs(), 1);
  EXPECT_EQ(all[4].slabs(), 3);
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
