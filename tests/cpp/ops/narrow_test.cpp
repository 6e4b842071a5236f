// What a number that is written in a program means to a kernel.
#include "ops/narrow.h"

#include <gtest/gtest.h>

namespace highwater {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
constexpr int32_t kHighest = std::numeric_limits<int32_t>::max();

TEST(Narrow, ToTheNearestFloat) {
  EXPECT_EQ(narrow_to_float(0.1), 0.1f);
  EXPECT_EQ(narrow_to_float(16'777'217), 16'777'216.0f);
  EXPECT_EQ(narrow_to_float(1e-300), 0.0f);
  EXPECT_TRUE(std::signbit(narrow_to_float(-0.0)));
  EXPECT_TRUE(std::isnan(narrow_to_float(kNoNumber)));
}

TEST(Narrow, WhatNoFloatHoldsIsInfinite) {
  const float highest = std::numeric_limits<float>::max();
  EXPECT_EQ(narrow_to_float(highest), highest);
  for (double large : {1e39, 1e300, kInfinity}) {
    EXPECT_EQ(narrow_to_float(large), std::numeric_limits<float>::infinity());
    EXPECT_EQ(narrow_to_float(-large), -std::numeric_limits<float>::infinity());
  }
}

TEST(Narrow, ToIntsTowardsZeroAndNoFurtherThanTheyGo) {
  EXPECT_EQ(narrow_to_int(2.9), 2);
  EXPECT_EQ(narrow_to_int(-2.9), -2);
  EXPECT_EQ(narrow_to_int(16'777'217), 16'777'217);
  EXPECT_EQ(narrow_to_int(kHighest), kHighest);
  EXPECT_EQ(narrow_to_int(kLowest), kLowest);
  for (double large : {2147483648.0, 1e19, kInfinity}) {
    EXPECT_EQ(narrow_to_int(large), kHighest);
    EXPECT_EQ(narrow_to_int(-large - 1), kLowest);
  }
  EXPECT_EQ(narrow_to_int(kNoNumber), 0);
}

TEST(Narrow, OnlyWholeNumbersAreComputedWithAsInts) {
  for (double whole : {0.0, -0.0, 7.0, -7.0, 1e19}) EXPECT_TRUE(is_whole(whole)) << whole;
  for (double other : {0.5, -1e-9, kInfinity, -kInfinity, kNoNumber}) {
    EXPECT_FALSE(is_whole(other)) << other;
  }
}

TEST(Narrow, BitsAreThoseOfEither) {
  EXPECT_EQ(narrow_to_bits(1.0, true), 0x3f800000u);
  EXPECT_EQ(narrow_to_bits(-1.0, false), 0xffffffffu);
  EXPECT_EQ(narrow_to_bits(1.9, false), 1u);
}

}  // namespace
}  // namespace highwater
