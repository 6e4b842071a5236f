#include "runtime/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace highwater {
namespace {

constexpr uint32_t kHalves = 65536;
constexpr uint16_t kSign = 0x8000, kInfinity = 0x7c00;

bool is_nan(uint16_t half) {
  return (half & 0x7fff) > kInfinity;
}

// What a finite half means, from the definition of the format.
double meaning(uint16_t half) {
  const int exponent = (half >> 10) & 0x1f, fraction = half & 0x3ff;
  const double magnitude =
      exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return half & kSign ? -magnitude : magnitude;
}

// The nearest half by search, ties to the one with an even fraction. Halves of one sign are in the
// order of their bits, and 65536 takes infinity's place in that order.
uint16_t nearest(float value) {
  const double magnitude = std::fabs(static_cast<double>(value));
  const uint16_t sign = std::signbit(value) ? kSign : 0;
  uint16_t below = 0, above = kInfinity;
  const auto at = [](uint16_t half) { return half == kInfinity ? 65536.0 : meaning(half); };
  if (magnitude >= 65536.0) return sign | kInfinity;
  while (above - below > 1) {
    const auto middle = static_cast<uint16_t>((below + above) / 2);
    (at(middle) <= magnitude ? below : above) = middle;
  }
  const double down = magnitude - at(below), up = at(above) - magnitude;
  if (down != up) return sign | (down < up ? below : above);
  return sign | (below % 2 == 0 ? below : above);
}

TEST(Half, EveryHalfMeansWhatTheFormatSays) {
  for (uint32_t bits = 0; bits < kHalves; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = half_to_float(half);
    if (is_nan(half)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else if ((half & 0x7fff) == kInfinity) {
      EXPECT_EQ(value, half & kSign ? -HUGE_VALF : HUGE_VALF);
    } else {
      EXPECT_EQ(value, meaning(half)) << bits;
      EXPECT_EQ(std::signbit(value), (half & kSign) != 0) << bits;
    }
  }
}

TEST(Half, EveryHalfComesBackFromFloat) {
  for (uint32_t bits = 0; bits < kHalves; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const uint16_t back = float_to_half(half_to_float(half));
    if (is_nan(half)) {
      EXPECT_TRUE(is_nan(back)) << bits;
      EXPECT_EQ(back & kSign, half & kSign) << bits;
    } else {
      EXPECT_EQ(back, half) << bits;
    }
  }
}

TEST(Half, RoundsToNearestAndTiesToEvenBetweenAllNeighbours) {
  for (uint32_t bits = 0; bits < kInfinity; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const double next = bits + 1 == kInfinity ? 65536.0 : meaning(static_cast<uint16_t>(bits + 1));
    const auto middle = static_cast<float>((meaning(half) + next) / 2);
    for (float value : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, HUGE_VALF)}) {
      EXPECT_EQ(float_to_half(value), nearest(value)) << value;
      EXPECT_EQ(float_to_half(-value), nearest(-value)) << -value;
    }
  }
}

TEST(Half, RandomFloatsAgreeWithTheSearch) {
  std::mt19937 random(3);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(value)) {
      EXPECT_TRUE(is_nan(float_to_half(value)));
    } else {
      EXPECT_EQ(float_to_half(value), nearest(value)) << value;
    }
  }
}

TEST(Half, Edges) {
  EXPECT_EQ(float_to_half(65504.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff) << "below the middle to infinity";
  EXPECT_EQ(float_to_half(65520.0f), kInfinity);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::max()), kInfinity);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(float_to_half(-0.0f), kSign);
}

}  // namespace
}  // namespace highwater
